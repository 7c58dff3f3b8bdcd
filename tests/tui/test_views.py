"""Views that only some sessions have: the forecast, the GPU's side, times on the GPU."""

from __future__ import annotations

import msgspec
import pytest

from compilescope import store
from compilescope.diagnose import diagnose
from compilescope.diagnosis import (
    CallSeries,
    CudaGraph,
    CudaGraphProblem,
    CudaGraphs,
    GraphMemory,
    Kernel,
    KernelCause,
    Remedy,
)
from compilescope.model import (
    Called,
    Compiled,
    DeviceMemory,
    Errored,
    Forecast,
    ForecastCall,
    ForecastCallable,
    ForecastCause,
    ForecastChange,
    ForecastFrame,
    ForecastRemedy,
    ForecastWarmup,
    Frame,
    KernelTuned,
    Session,
)
from compilescope.tui import sources
from compilescope.tui.views.device import size

FRAME = Frame("/home/user/project/shapes.py", 12, "forward")


@pytest.fixture
def shown(play, recorded, monkeypatch):
    """Plays a scene on a recorded session whose diagnosis has other fields as well."""

    def run(scene, **fields):
        def changed(session):
            return msgspec.structs.replace(diagnose(session), **fields)

        monkeypatch.setattr(sources, "diagnose", changed)
        play(scene, recorded("shapes"), size=(140, 60))

    return run


def cause(name, **fields):
    return ForecastCause(name, "tensor.size", "x", 0, FRAME, f"why {name}", inputs=2, **fields)


def test_the_forecast_says_what_happened_what_would_and_what_is_covered(shown):
    call = ForecastCall(0, "graph", (ForecastChange("x", 0, "1"),), graphs=1)
    found = Forecast(
        calls=(call,),
        causes=(
            cause("one", happened=3, smallest=0, remedy="mark it", snippet="mark(x, 0)"),
            cause("two", seconds=1.5),
            cause("three", covered=True),
        ),
        frames=(ForecastFrame(FRAME, 7, 3, 8, "recompile_limit"),),
        callables=(ForecastCallable(0, "Head", tried=9, served=8, unbounded=("x.shape[0]",)),),
        remedies=(ForecastRemedy(("mark",), "mark_dynamic(x, 0)", 0),),
        warmup=ForecastWarmup((0,), left=0),
    )

    async def scene(stage):
        assert any("w Forecast" in line for line in stage.lines())
        await stage.press("w")
        assert stage.column(0) == ["↻ 3 times", "→ would", "✓ covered"]
        for words in (
            "It happened in this run: 3 recompiles.",
            "The simplest: x.shape[0] = 1",
            "mark(x, 0)",
            "1 input would compile 1 more graph",
            "1 warm-up call compile everything: proved",
            "With mark_dynamic(x, 0): 0 graphs would be left",
            "past the recompile_limit of 8 the rest runs eagerly",
            "Every further value of x.shape[0] compiles a graph.",
        ):
            assert words in " ".join(stage.detail.text.split())
        await stage.press("y")
        assert stage.copied == ["mark(x, 0)"]
        await stage.press("slash")
        await stage.type("kind:covered")
        assert len(stage.grid.rows) == 1

    shown(scene, forecast=found)


@pytest.mark.parametrize(
    ("forecast", "words"),
    [
        (None, "This session holds no forecast."),
        (Forecast(stopped="time is over"), "Not complete: time is over."),
        (Forecast(callables=(ForecastCallable(0, tried=4),)), "Nothing would recompile: 4 inputs"),
    ],
)
def test_a_forecast_without_causes(shown, forecast, words):
    async def scene(stage):
        assert any("w Forecast" in line for line in stage.lines()) == (forecast is not None)
        await stage.press("w")
        assert words in "\n".join(stage.lines())

    shown(scene, forecast=forecast)


def test_the_side_of_the_gpu(shown):
    remedy = Remedy("clone", "Copy it first", "x = x.clone()")
    problem = CudaGraphProblem("rerecorded", "moved input", "An input had moved.", 4, FRAME,
                               ("primals_1",), ("0/0",), (remedy,))  # fmt: skip
    graph = CudaGraph("0/0", FRAME, ("8", "16"), 2, 4)
    summary = "2 of 3 graphs were recorded."
    silent = CudaGraph("", FRAME)  # the log tells nothing of it
    graphs = CudaGraphs("partly", summary, (graph, silent), (problem,), pools=(5 << 20,))
    reason = KernelCause("n", "divisible", "n was divisible by 16, then not.", 2, 0.5)
    tuned = KernelTuned(0, "mine", seconds=2.0, trials=6, winner="BLOCK: 64", best_seconds=1e-4)
    kernels = (
        Kernel("quiet", "inductor", compiles=1, seconds=3.0),
        Kernel("mine", "program", FRAME, None, 3, 0, 0.7, (reason,), (tuned,), 64, 8, 4096,
               "8 registers spilled."),
    )  # fmt: skip

    async def scene(stage):
        await stage.press("d")
        assert stage.column(0) == [
            "! rerecorded", "cuda graph", "! kernel", "kernel", "graph memory", "memory",
        ]  # fmt: skip
        for words in ("An input had moved.", "x = x.clone()", "Moved: primals_1",
                      "2 of 3 graphs were recorded.", "Their pools hold 5.24 MB"):  # fmt: skip
            assert words in stage.detail.text
        await stage.press("j")
        assert "2 recorded, 4 again" in stage.detail.text
        await stage.press("j")
        for words in ("mine (program)", "3 compiles, 700 ms", "registers 64, spills 8",
                      "Compiled again for n", "8 registers spilled.",
                      "6 configurations in 2.0 s, 100 µs"):  # fmt: skip
            assert words in stage.detail.text
        await stage.press("G", "k")
        assert "up to 2 GB in call 3" in stage.detail.text
        await stage.press("G")
        assert "reserved at most        3 GB" in stage.detail.text
        await stage.press("s", "s")
        assert stage.grid.sorted == (1, True)

    shown(
        scene,
        cudagraphs=graphs,
        kernels=kernels,
        memory=(GraphMemory("0/0", FRAME, 2 * 10**9, 3),),
        devices=(DeviceMemory(0, 0, 10**9, 3 * 10**9, 80 * 10**9, (1 << 20,)),),
    )


def test_nothing_of_the_gpu(shown):
    async def scene(stage):
        assert not any("d GPU" in line for line in stage.lines())
        await stage.press("d")
        assert "the program used no GPU" in "\n".join(stage.lines())

    shown(scene)


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "?"), (0, "0 B"), (999, "999 B"), (1500, "1.5 kB"), (999_999, "1 MB"), (3e9, "3 GB")],
)
def test_sizes(value, text):
    assert size(value) == text


def test_times_on_the_gpu_are_a_column_of_calls(shown):
    series = CallSeries("step", 0, (0.5, 0.5, 0.5), (0,), (), 0.5, device=(None, 0.2, 0.4))

    async def scene(stage):
        await stage.press("2")
        titles = [column.title for column in stage.grid.table.columns]
        assert stage.column(titles.index("on GPU")) == ["", "200 ms", "400 ms"]
        assert "The GPU" not in stage.detail.text
        await stage.press("G")
        assert "The GPU took 400 ms for it" in stage.detail.text

    shown(scene, calls=(series,))


def test_a_compile_that_failed_is_not_told_as_one_that_worked(play, tmp_path):
    frame = Frame("/p/step.py", 26, "step")
    text = "AttributeError: no attribute '__dict__'"
    events = (
        Compiled(0, "0/0", frame, at=100.0, seconds=0.5, outcome="failed"),
        Errored(0, text, "builtins.AttributeError", frame=Frame("/lib/inspect.py", 2474, "vars")),
        Called(0, 0, 0, 100.0, 0.6, ("0/0",), error="AttributeError"),
    )
    path = tmp_path / f"raised{store.SUFFIX}"
    store.save(Session(name="step.py", how="failed", code=1, events=events), path)

    async def scene(stage):
        assert stage.column(3) == ["inspect.py:2474"]
        assert stage.column(4) == [text]
        assert "/lib/inspect.py:2474" in stage.detail.text.splitlines()[1]
        await stage.press("2")
        assert stage.column(4) == ["1 compile failed"]
        await stage.press("4")
        assert stage.grid.table.empty == "No graph breaks."

    play(scene, path)
