"""Triton kernels: what the agent wrote with a real Triton, read back and explained.

The record is tests/data/triton/README.md's.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from compilescope.diagnose import diagnose
from compilescope.model import KernelCompiled, KernelTuned
from compilescope.packs import report
from compilescope.probe.session import from_raw

DATA = Path(__file__).parents[1] / "data" / "triton"
AGENT = Path(__file__).parents[2] / "compilescope" / "probe" / "agent"


@pytest.fixture
def recorded(tmp_path):
    shutil.copy(DATA / "agent-1234.jsonl", tmp_path)
    return from_raw(tmp_path)


@pytest.fixture
def agent(monkeypatch):
    monkeypatch.syspath_prepend(str(AGENT))
    yield
    for name in [name for name in sys.modules if name.startswith("_compilescope_agent")]:
        del sys.modules[name]


def test_every_compile_is_an_event(recorded):
    found = [event for event in recorded.events if isinstance(event, KernelCompiled)]
    assert len(found) == 9
    assert {event.name for event in found} == {"scale"}
    assert {event.origin for event in found} == {"program"}
    assert [event.cache for event in found] == ["miss"] * 8 + ["hit"]
    first, _, one = found[:3]
    assert first.frame is not None
    assert first.frame.path.endswith("specialise.py")
    assert [(item.name, item.type, item.divisible) for item in first.arguments[:3]] == [
        ("x", "*fp32", True),
        ("out", "*fp32", True),
        ("n", "i32", True),
    ]
    assert (first.arguments[4].type, first.arguments[4].value) == ("constexpr", "128")
    assert (one.arguments[2].type, one.arguments[2].value) == ("int", "1")
    assert all(event.seconds and event.seconds < 60 for event in found)


def test_the_kernel_is_explained_by_what_changed(recorded):
    (kernel,) = diagnose(recorded).kernels
    assert (kernel.name, kernel.compiles, kernel.cache_hits) == ("scale", 8, 1)
    causes = {(cause.argument, cause.kind): cause for cause in kernel.causes}
    assert set(causes) == {
        ("n", "divisible"),
        ("n", "one"),
        ("x", "alignment"),
        ("BLOCK", "constexpr"),
        ("num_warps", "option"),
        ("x", "dtype"),
        ("out", "dtype"),
    }
    assert causes["BLOCK", "constexpr"].times == 2
    assert causes["BLOCK", "constexpr"].values == ("128", "256", "512")
    assert causes["n", "divisible"].remedies[0].id == "do_not_specialize"
    assert causes["n", "divisible"].remedies[0].snippet == ('@triton.jit(do_not_specialize=["n"])')
    assert [item.id for item in causes["BLOCK", "constexpr"].remedies] == ["runtime_argument"]
    assert causes["x", "alignment"].values == ("aligned to 16 bytes", "not aligned")
    spent = sum(cause.seconds for cause in kernel.causes)
    assert 0 < spent < kernel.seconds


def test_values_for_every_batch_size_get_the_advice_to_round_up(recorded):
    from msgspec.structs import replace

    first = next(event for event in recorded.events if isinstance(event, KernelCompiled))
    events = [
        replace(first, arguments=(*first.arguments[:4], replace(first.arguments[4], value=size)))
        for size in ("100", "101", "102")
    ]
    (kernel,) = diagnose(replace(recorded, events=tuple(events))).kernels
    (cause,) = kernel.causes
    assert cause.times == 2
    assert [item.id for item in cause.remedies] == ["runtime_argument", "next_power_of_2"]


def test_trials_are_one_tuning_for_each_key(tmp_path):
    lines = (DATA / "agent-1234.jsonl").read_text().splitlines()[:1]
    trial = (
        '{{"record":"trial","group":{group},"at":1.0,"seconds":0.4,"name":"scale",'
        '"config":"BLOCK: {block}, num_warps: 4","ms":{ms},"key":"n={n}","path":"/home/user/a.py",'
        '"line":3,"function":"scale","launched":"/home/user/a.py","launch_line":9}}'
    )
    for group, n in enumerate((1000, 1001)):
        for block, ms in ((64, 0.3), (128, 0.2), (4096, "null")):
            lines.append(trial.format(group=group, block=block, ms=ms, n=n))
    (tmp_path / "agent-1234.jsonl").write_text("\n".join(lines) + "\n")
    session = from_raw(tmp_path)
    found = [event for event in session.events if isinstance(event, KernelTuned)]
    assert [(event.trials, event.failed, event.key) for event in found] == [
        (3, 1, "n=1000"),
        (3, 1, "n=1001"),
    ]
    assert found[0].winner.startswith("BLOCK: 128")
    (kernel,) = diagnose(session).kernels
    assert "2 times, once for each value of its key" in kernel.why
    assert kernel.remedies[0].id == "coarse_key"


def test_inductors_kernels_are_shown_only_where_they_ask_for_a_look(tmp_path):
    lines = (DATA / "agent-1234.jsonl").read_text().splitlines()[:1]
    for name, spills, tuning in (("triton_a", 0, 0), ("triton_b", 64, 0), ("triton_c", 8, 2e9)):
        lines.append(
            f'{{"record":"inductor_kernel","name":"{name}","spills":{spills},"registers":255,'
            f'"shared":0,"configs":5,"winner":"XBLOCK: 1","tuning_ns":{int(tuning)},"cache":""}}'
        )
    (tmp_path / "agent-1234.jsonl").write_text("\n".join(lines) + "\n")
    found = {item.name: item for item in diagnose(from_raw(tmp_path)).kernels}
    assert set(found) == {"triton_b", "triton_c"}
    assert found["triton_b"].why.startswith("64 registers")
    assert "tried 5 configurations" in found["triton_c"].why
    assert found["triton_c"].spills == 8


@pytest.mark.parametrize(
    ("constants", "attrs"),
    [
        ({(2,): 1, (3,): 128}, {(0,): [["tt.divisibility", 16]]}),
        ({"n": 1, "BLOCK": 128}, SimpleNamespace(arg_properties={"tt.divisibility": (0,)})),
    ],
    ids=["since 3.3", "3.2"],
)
def test_arguments_of_every_triton(agent, constants, attrs):
    from _compilescope_agent.triton_source import arguments

    source = SimpleNamespace(
        fn=SimpleNamespace(arg_names=["x", "y", "n", "BLOCK"]),
        signature={"x": "*fp32", "y": "*fp32", "n": "i32"},
        constants=constants,
        attrs=attrs,
    )
    x, y, n, block = arguments(source)
    assert (x["divisible"], y.get("divisible")) == (True, None)
    assert (n["value"], block["type"], block["value"]) == ("1", "constexpr", "128")


def test_the_elements_of_a_tuple_are_arguments_of_their_own(agent):
    from _compilescope_agent.triton_source import arguments

    source = SimpleNamespace(
        fn=SimpleNamespace(arg_names=["x", "shape", "BLOCK"]),
        signature={"x": "*fp32", "shape": ("i32", ("constexpr", "fp32")), "BLOCK": "constexpr"},
        constants={(1, 1, 0): 1, (2,): 128},
        attrs={(0,): [["tt.divisibility", 16]], (1, 0): [["tt.divisibility", 16]]},
    )
    found = arguments(source)
    assert [one["name"] for one in found] == [
        "x",
        "shape[0]",
        "shape[1][0]",
        "shape[1][1]",
        "BLOCK",
    ]
    assert (found[1]["type"], found[1]["divisible"]) == ("i32", True)
    assert (found[2]["type"], found[2]["value"]) == ("constexpr", "1")
    assert found[3] == {"name": "shape[1][1]", "type": "fp32"}


def test_a_constant_that_is_a_function_or_a_tuple_is_told_by_name(agent):
    from _compilescope_agent.triton_source import value_as_text

    assert value_as_text(test_a_constant_that_is_a_function_or_a_tuple_is_told_by_name).startswith(
        "test_a"
    )
    assert value_as_text((2, "a", object())) == "(2, 'a', object)"
    assert value_as_text(SimpleNamespace(value=1)) == "SimpleNamespace", "never its repr"


class Interpreted:
    """A kernel as Triton's interpreter holds it."""

    def __init__(self, fn, **kwargs):
        self.fn, self.kwargs = fn, kwargs
        self.arg_names = list(fn.__code__.co_varnames[: fn.__code__.co_argcount])

    def run(self, *args, grid, warmup, **kwargs):
        return len(args)


@pytest.fixture
def interpreted(agent, tmp_path, monkeypatch):
    """Kernels of a Triton that runs them in Python, and what the probe makes of the launches."""
    from _compilescope_agent import triton_interpreted
    from _compilescope_agent.record import Record

    kind = type("InterpretedFunction", (Interpreted,), {"run": Interpreted.run})
    module = SimpleNamespace(__name__="tri", knobs=SimpleNamespace())
    module.knobs.runtime = SimpleNamespace(interpret=True)
    fake = SimpleNamespace(InterpretedFunction=kind)
    monkeypatch.setitem(sys.modules, "tri", module)
    monkeypatch.setitem(sys.modules, "tri.runtime.interpreter", fake)
    triton_interpreted.on_triton(module, Record(str(tmp_path)))
    return SimpleNamespace(kernel=kind, session=lambda: from_raw(tmp_path))


def test_a_kernel_that_python_runs_is_told_by_what_a_gpu_would_compile(interpreted):
    def scale(x, n, bias, shape, BLOCK: tl.constexpr):  # noqa: F821, N803
        pass

    kernel = interpreted.kernel(scale, do_not_specialize_on_alignment=["bias"])
    x = SimpleNamespace(data_ptr=lambda: 64, dtype="torch.float32")
    for n, shape in ((32, (16, 2)), (17, (16, 2)), (1, (16, 2)), (32, (16, 1)), (32, (16, 2))):
        launched = kernel.run(x, n, x, shape, BLOCK=64, grid=(1,), warmup=False, num_warps=4)
        assert launched == 4, "the kernel runs as it would"
    session = interpreted.session()
    events = [event for event in session.events if isinstance(event, KernelCompiled)]
    assert len(events) == 4, "each specialisation once"
    assert events[0].options == {"num_warps": "4"}
    assert [(one.name, one.type, one.value, one.divisible) for one in events[0].arguments] == [
        ("x", "*fp32", "", True),
        ("n", "i32", "", True),
        ("bias", "*fp32", "", False),
        ("shape[0]", "i32", "", True),
        ("shape[1]", "i32", "", False),
        ("BLOCK", "constexpr", "64", False),
    ]
    found = diagnose(session)
    (told,) = found.kernels
    assert (told.compiles, told.interpreted) == (0, 4)
    assert {(cause.argument, cause.kind) for cause in told.causes} == {
        ("n", "divisible"),
        ("n", "one"),
        ("shape[1]", "one"),
    }
    assert "1 Triton kernel ran in Python" in found.verdict


@pytest.mark.parametrize("form", ["terminal", "markdown", "html"])
def test_no_report_says_that_an_interpreted_kernel_was_compiled(interpreted, form):
    def scale(n):
        pass

    kernel = interpreted.kernel(scale)
    for n in (16, 17):
        kernel.run(n, grid=(1,), warmup=False)
    text = " ".join(report(form)(diagnose(interpreted.session())).split())
    assert "2 specialisations" in text
    assert "1 more kernel on a GPU" in text
    assert "1 compile" not in text


def test_a_number_that_is_one_is_a_constant_in_triton_3_2_too(tmp_path):
    first, entry = (DATA / "agent-1234.jsonl").read_text().splitlines()[:2]
    one = entry.replace(
        '"name":"n","type":"i32","divisible":true', '"name":"n","type":"i32","value":"1"'
    )
    assert one != entry
    (tmp_path / "agent-1234.jsonl").write_text(f"{first}\n{entry}\n{one}\n")
    (kernel,) = diagnose(from_raw(tmp_path)).kernels
    assert [(cause.argument, cause.kind) for cause in kernel.causes] == [("n", "one")]


def test_a_folder_of_the_programs_own_may_be_called_triton(agent, tmp_path):
    from _compilescope_agent.triton_source import launch

    path = tmp_path / "triton" / "serve.py"
    namespace = {"launch": launch}
    exec(compile("def step():\n    return launch()\n", str(path), "exec"), namespace)
    assert namespace["step"]()["launched"] == str(path)
    assert namespace["step"]()["launch_line"] == 2


def test_a_compile_without_listeners_is_stood_around(agent, tmp_path):
    from _compilescope_agent import triton_kernels
    from _compilescope_agent.record import Record

    record = Record(str(tmp_path))
    source = SimpleNamespace(name="scale", fn=None, signature={})
    kernel = SimpleNamespace(metadata=SimpleNamespace(_asdict=lambda: {"hash": "h", "shared": 8}))
    module = SimpleNamespace(compile=lambda src, target: (src, target, kernel)[2])
    triton_kernels.on_compiler(module, record)
    assert module.compile(source, target="t") is kernel
    (event,) = [e for e in from_raw(tmp_path).events if isinstance(e, KernelCompiled)]
    assert (event.name, event.shared_bytes, event.cache) == ("scale", 8, "")


def test_the_programs_own_listener_stays(agent, tmp_path):
    from _compilescope_agent import triton_kernels
    from _compilescope_agent.record import Record

    own = object()
    knobs = SimpleNamespace(
        runtime=SimpleNamespace(interpret=False), compilation=SimpleNamespace(listener=own)
    )
    triton_kernels.on_knobs(knobs, Record(str(tmp_path)))
    assert knobs.compilation.listener is own
    assert [gap.what for gap in from_raw(tmp_path).gaps] == ["not recorded: Triton kernels"]
