"""What only a GPU has, in the text reports."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from compilescope import store
from compilescope.diagnose import diagnose
from compilescope.model import Called, Compiled, DeviceMemory, Frame, Session, Warned
from compilescope.packs import report

DATA = Path(__file__).parents[1] / "data"
FRAME = Frame("/home/u/serve.py", 4, "step")


@pytest.fixture
def timed() -> Session:
    """A compile and three steady calls, which take longer on the device than in Python."""
    calls = [
        Called(
            0, 0, 0, at=1.0, seconds=2.0, compiles=("0/0",), signature=0, peak_bytes=3_100_000_000
        ),
        *(Called(0, 0, n, at=3.0 + n, seconds=0.002, device_seconds=0.009) for n in (1, 2, 3)),
    ]
    memory = DeviceMemory(0, 0, 3_100_000_000, 4_000_000_000, 150_000_000_000, (2_000_000,))
    events = (Compiled(0, "0/0", FRAME, at=1.0, seconds=1.9), *calls)
    return Session(events=events, memory=(memory,))


def test_a_steady_call_has_both_times(timed):
    found = diagnose(timed)
    assert found.calls[0].device == (None, 0.009, 0.009, 0.009)
    assert found.calls[0].device_steady == 0.009
    assert "a steady call: 2 ms in Python, 9 ms on the GPU" in report("terminal")(found)


def test_without_device_time_nothing_is_said(timed):
    plain = [replace(e, device_seconds=None) if isinstance(e, Called) else e for e in timed.events]
    found = diagnose(replace(timed, events=tuple(plain)))
    assert found.calls[0].device == ()
    assert "on the GPU" not in report("terminal")(found)


@pytest.mark.parametrize("form", ["terminal", "markdown"])
def test_memory_names_the_graph_that_reached_the_height(timed, form):
    text = " ".join(report(form)(diagnose(timed)).split())
    assert "At most 3.1 GB of 150 GB in use, 4 GB reserved." in text
    assert "Graph 0/0 of step reached 3.1 GB at call 0." in text


@pytest.mark.parametrize("form", ["terminal", "markdown"])
def test_cuda_graphs_and_kernels_are_shown_with_what_to_do(form):
    graphs = report(form)(diagnose(store.load(DATA / "h200" / "decode_cache.cscope.json.gz")))
    assert "overwritten output" in graphs
    assert "decode_cache.py:22" in graphs
    assert "kept = output.clone()" in graphs
    kernels = report(form)(
        diagnose(store.load(DATA / "triton" / "specialise.cscope.json.gz")), everything=True
    )
    assert "specialise.py:19" in kernels
    assert '@triton.jit(do_not_specialize=["n"])' in kernels


@pytest.fixture
def hinted() -> Session:
    """A hint with something to do, and two that ask for nothing."""
    hints = (
        ("tf32", "TensorFloat32 tensor cores for float32 matrix multiplication available", None),
        ("perf_hint", "Using FallbackKernel: aten.sort.stable", FRAME),
        ("perf_hint", "possibly bad tiling: []", FRAME),
    )
    return Session(events=tuple(Warned(0, *hint[:2], frame=hint[2]) for hint in hints))


@pytest.mark.parametrize("form", ["terminal", "markdown"])
def test_a_notice_is_shown_with_what_to_do_and_the_idle_ones_are_counted(hinted, form):
    found = diagnose(hinted)
    text = report(form)(found)
    assert 'torch.set_float32_matmul_precision("high")' in text
    assert "2 more ask for nothing." in text
    assert "aten.sort" not in text
    everything = report(form)(found, everything=True)
    assert "aten.sort.stable" in everything
    assert everything.count("serve.py:4") == 2
    assert "for nothing" not in everything


def test_a_log_of_hints_alone_does_not_say_that_nothing_was_compiled(hinted):
    assert "does not tell which functions" in diagnose(replace(hinted, source="logs")).verdict


def test_what_the_panel_tells_is_no_notice_as_well(timed):
    skip = Warned(0, "cudagraph_skip", "skipping cudagraphs due to cpu device (x)", frame=FRAME)
    text = report("terminal")(diagnose(replace(timed, events=(*timed.events, skip))))
    assert text.count("A tensor on the CPU takes part") == 1
