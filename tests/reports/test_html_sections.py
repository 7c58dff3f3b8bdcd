"""What the page says of CUDA graphs, Triton kernels, device memory and the forecast."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest
from compilescope.reports.device import size
from compilescope.reports.forecast_section import Section
from compilescope.reports.html import render
from compilescope.reports.page import Page

from compilescope import store
from compilescope.diagnose import diagnose
from compilescope.diagnosis import FunctionSummary, GraphMemory, Kernel, KernelCause, Notice, Remedy
from compilescope.model import (
    Compiled,
    DeviceMemory,
    Forecast,
    ForecastCall,
    ForecastCallable,
    ForecastCause,
    ForecastChange,
    ForecastFixed,
    ForecastFrame,
    ForecastRemedy,
    ForecastWarmup,
    Frame,
    KernelTuned,
    Session,
)

H200 = Path(__file__).parents[1] / "data" / "h200"
NOT_TRIED = "1 call for all of it (--emit warmup.py writes it and tries it)"
FRAME = Frame("/home/user/serve.py", 12, "step", "grid = (n,)")
REMEDY = Remedy("fix", "Name `n` in `do_not_specialize`", 'do_not_specialize=["n"]')
KERNELS = (
    Kernel(
        "add<b>",
        "program",
        FRAME,
        FRAME,
        compiles=4,
        seconds=2.1,
        causes=(KernelCause("n", "one", "`n` was 1.", 1, 0.5, ("7", "1"), (REMEDY,)),),
        tuned=(KernelTuned(0, "add", key="(9,)", seconds=3.2, trials=8, winner="BLOCK=128"),),
        registers=40,
        spills=12,
        shared_bytes=4096,
        why="It spills 12 registers.",
        remedies=(REMEDY,),
    ),
    Kernel("triton_poi_0", "inductor", compiles=1, seconds=0.2),
)


def words(text):
    body = text[text.index("<main>") : text.index("</main>")]
    return " ".join(re.sub(r"<[^>]*>", " ", body).split())


@pytest.fixture
def decoding():
    """A run with CUDA graphs on an H200; see tests/data/h200."""
    return diagnose(store.load(H200 / "decode_cache.cscope.json.gz"))


def test_panel_of_cuda_graphs_says_what_keeps_them_from_paying(decoding):
    folded = msgspec.structs.replace(decoding.cudagraphs, folded=2)
    text = render(msgspec.structs.replace(decoding, cudagraphs=folded))
    assert decoding.cudagraphs.summary in words(text)
    for item in decoding.cudagraphs.problems:
        assert item.why in words(text)
        assert all(remedy.text in words(text) for remedy in item.remedies)
    assert "2 lines of the log that say only that CUDA graphs are off are left out" in words(text)
    assert text.count('class="item problem"') == len(decoding.cudagraphs.problems)


def test_links_of_problems_do_not_depend_on_their_order(decoding):
    panel = decoding.cudagraphs
    other = msgspec.structs.replace(panel.problems[0], kind="skipped", why="Another.")

    def anchors(*problems):
        found = msgspec.structs.replace(panel, problems=problems)
        return re.findall(
            r'class="item problem" id="([^"]*)"',
            render(msgspec.structs.replace(decoding, cudagraphs=found)),
        )

    assert anchors(panel.problems[0], other) == anchors(other, panel.problems[0])[::-1]


def test_kernels_show_why_they_were_compiled_again_and_what_they_use(diagnoses):
    text = render(msgspec.structs.replace(diagnoses["clean"], kernels=KERNELS))
    said = words(text)
    for part in ("It spills 12 registers.", "n was 1.", "Values: 7, 1", "4.1 KB", "BLOCK=128"):
        assert part in said
    assert "<b>add<b>" not in text
    assert said.count("the program") >= 1
    assert text.count('id="prove"') == 1, "a proof that is missing leads somewhere"


def test_memory_of_devices_and_graphs(diagnoses):
    found = msgspec.structs.replace(
        diagnoses["clean"],
        memory=(GraphMemory("0/0", FRAME, 3 << 20, 7),),
        devices=(DeviceMemory(0, 0, 5 << 30, None, 139 << 30, (1 << 20, 1 << 20)),),
    )
    said = words(render(found))
    assert "0 5.37 GB \u2013 149 GB 2.1 MB" in said
    assert "[0/0] serve.py:12 in step 3.15 MB 7" in said.replace("/home/user/", "").replace(
        "~/", ""
    )


def test_device_time_stands_beside_that_of_the_call(diagnoses):
    (series,) = diagnoses["clean"].calls
    timed = msgspec.structs.replace(series, device_steady=0.003)
    text = render(msgspec.structs.replace(diagnoses["clean"], calls=(timed,)))
    assert " in Python, 3 ms on the GPU" in text


def forecast(**changes):
    inputs = (
        ForecastCall(0, "graph", (ForecastChange("x", 0, "0"),), graphs=1, covered=True),
        ForecastCall(0, "graph", (ForecastChange("x", 0, "1"),), graphs=2, error="boom\nmore"),
        ForecastCall(0, "general", graphs=1),
    )
    cause = ForecastCause(
        "a", "size", "x", 0, FRAME, "`x.shape[0]` is 0 or 1.", ("0", "1"), 2, 2, 1.5, 0,
        "Mark it unbacked", "mark_unbacked(x, 0)", happened=3, covered=True,
    )  # fmt: skip
    content = {
        "calls": inputs,
        "causes": (cause,),
        "frames": (ForecastFrame(FRAME, 3, 6, 8, "recompile_limit"),),
        "callables": (ForecastCallable(0, "Head", FRAME, {}, 30, 27, 1, cut=True),),
        "seconds": 1.5,
        "remedies": (ForecastRemedy(("mark",), "mark_unbacked(x, 0)", 0, price="no example"),),
        "warmup": ForecastWarmup((0, 1), 0),
    }
    return Forecast(**(content | changes))


def test_forecast_tells_what_happened_what_would_and_what_is_covered(diagnoses):
    said = words(render(msgspec.structs.replace(diagnoses["clean"], forecast=forecast())))
    assert (
        "This program can be made to compile at least 3 more graphs, 1.5 s of compiling; 1 input"
        " would fail to compile." in said
    )
    assert "3 2 inputs 1.5 s ✓ proved covered" in said
    assert "2 calls for all of it; proved by a run: nothing compiled after it" in said
    assert "in step: 3 graphs now, 6 more; its recompile_limit of 8 is reached after 5: " in said
    assert "30 inputs tried, 27 served, 1 that the program itself cannot take" in said


@pytest.mark.parametrize(
    ("warmup", "text"),
    [
        (
            ForecastWarmup((0,)),
            NOT_TRIED,
        ),
        (ForecastWarmup((0,), 2), "1 call for all of it; 2 inputs still compiled after it"),
        (
            ForecastWarmup((0,), None, "it raised"),
            "1 call for all of it; when tried it ended with it raised",
        ),
        (None, ""),
    ],
)
def test_warm_up_claims_only_what_was_tried(warmup, text):
    assert Section(forecast(warmup=warmup), ()).warmup == text


def test_forecast_that_found_nothing_says_how_much_was_tried():
    tried = (ForecastCallable(0, "f", tried=9, served=9),)
    found = Section(Forecast(callables=tried), ())
    assert found.sentence == "Nothing would recompile: 9 inputs tried, no other graph needed."
    stopped = Section(Forecast(callables=tried, stopped="the program was killed"), ())
    assert stopped.sentence == "Nothing that would recompile was found."


def fixed(source, **fields):
    content = {"kind": "size", "held": "8", "calls": (1,), "values": ("11", "1"), "frame": FRAME}
    return ForecastFixed(0, source, 0, **(content | fields))


def test_what_has_not_varied_stands_apart_and_is_not_counted(diagnoses):
    held = (
        fixed("x", graphs=2, seconds=0.5, why="`x` had 8 rows.", unbounded=True),
        fixed("grad mode", kind="mode", held="on", values=("off",)),
    )
    held = (held[0], msgspec.structs.replace(held[1], dimension=None))
    found = Forecast(callables=(ForecastCallable(0, "Head", tried=9, served=9),), fixed=held)
    said = words(render(msgspec.structs.replace(diagnoses["clean"], forecast=found)))
    assert "Nothing that varied so far would recompile: 9 inputs tried" in said
    line = "x.shape[0], so far 8: 2 graphs for 11 and 1, and one for every further value, 500 ms"
    assert line in said
    assert "`x` had 8 rows." in said or "x had 8 rows." in said
    assert "Would compile as well: grad mode (off)" in said


@pytest.mark.parametrize(
    ("remedy", "text"),
    [
        (ForecastRemedy(("mark",), "mark_unbacked(x, 0), mark_unbacked(y, 1)", 0),
         "With mark_unbacked on 2 dimensions: 0."),
        (ForecastRemedy(("mark",), "mark_dynamic(x['a'], 0), use_duck_shape = False", 1, ("z",)),
         "With mark_dynamic on 1 dimension, use_duck_shape = False: 1 (z)."),
        (ForecastRemedy(("mark",), "mark_dynamic(x, 0)", 3), ""),
        (ForecastRemedy(("mark",), "mark_dynamic(x, 0)", None, why="it raised"), ""),
    ],
)  # fmt: skip
def test_a_remedy_that_was_tried_is_held_against_the_exposure(remedy, text):
    said = Section(forecast(remedies=(remedy,)), ()).sentence
    assert said.partition("fail to compile. ")[2] == text


def test_a_layout_is_named_by_its_tensor():
    layout = msgspec.structs.replace(
        forecast().causes[0], kind="tensor.stride", dimension=None, values=("transposed in memory",)
    )
    assert Section.named(layout) == "x: transposed in memory"
    contents = msgspec.structs.replace(layout, source="___stack0", special="other values in x")
    assert Section.named(contents) == "other values in x"


def function(name, line, seconds, caller=None):
    return FunctionSummary(Frame("/m.py", line, name), "compiled", 1, 0, 0, seconds, caller)


def test_functions_are_a_tree_the_dearest_branch_first(diagnoses):
    root, other = function("root", 1, 0.1), function("other", 50, 3.0)
    inner = function("inner", 10, 9.0, root.frame)
    leaf = function("leaf", 20, 0.2, inner.frame)
    stray = function("stray", 70, 0.1, Frame("/gone.py", 1, "gone"))
    found = msgspec.structs.replace(diagnoses["clean"], functions=(inner, other, leaf, root, stray))
    drawn = [(branch.item.frame.function, branch.depth) for branch in Page(found).tree]
    assert drawn == [("root", 0), ("inner", 1), ("leaf", 2), ("other", 0), ("stray", 0)]


def test_functions_that_call_each_other_in_a_circle_are_each_shown_once(diagnoses):
    one = function("one", 1, 1.0, Frame("/m.py", 9, "two"))
    two = function("two", 9, 1.0, one.frame)
    found = msgspec.structs.replace(diagnoses["clean"], functions=(one, two))
    assert sorted(branch.item.frame.function for branch in Page(found).tree) == ["one", "two"]


def test_cause_in_the_users_code_names_the_compiled_function_of_a_library(diagnoses):
    text = words(render(diagnoses["ranks"]))
    assert "ranks.py:25 in <module> compiled: torch/_dynamo/external_utils.py:67 in inner" in (
        text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("~/project/", "")
        .replace("/home/user/project/", "")
    )


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 bytes"), (999, "999 bytes"), (999_700, "1 MB"), (139 << 30, "149 GB")],
)
def test_bytes_for_people(count, text):
    assert size(count) == text


def test_notice_that_the_panel_of_cuda_graphs_tells_is_not_told_twice(decoding):
    problem = decoding.cudagraphs.problems[0]
    notices = (Notice("cudagraph", problem.text, 3), Notice("perf_hint", "another", 1))
    text = render(msgspec.structs.replace(decoding, notices=notices))
    assert text.count('class="item notice"') == 1


def test_link_to_a_function_does_not_depend_on_what_it_cost(diagnoses):
    def links(*seconds):
        functions = tuple(
            function("forward", line, cost) for line, cost in zip((1, 9), seconds, strict=True)
        )
        found = Page(msgspec.structs.replace(diagnoses["clean"], functions=functions))
        return {branch.item.frame.line: branch.id for branch in found.tree}

    assert links(1.0, 2.0) == links(2.0, 1.0)
    assert len(set(links(1.0, 2.0).values())) == 2


def test_a_log_without_times_has_no_compile_time_of_zero():
    frame = Frame("/home/u/a.py", 3, "f")
    page = render(diagnose(Session(source="logs", events=(Compiled(0, "0/0", frame),))))
    assert "<b>1</b> graph</a>" in page
    assert " in 0 s" not in page
    assert "</span> 0 s" not in page
