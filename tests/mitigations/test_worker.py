"""The worker process, and what is sent to it and back."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from functools import partial

import pytest

from compilescope.errors import UsageError

torch = pytest.importorskip("torch")

from compilescope.mitigations import Yielding, background_compile, parcel  # noqa: E402

LONG = 300  # seconds that no wait here takes unless something is broken


def layers():
    # Products only: no kernel of its own, and so no C++ compiler.
    return torch.nn.Sequential(*(torch.nn.Linear(8, 8, bias=False) for _ in range(3)))


@pytest.mark.skipif(os.name != "posix", reason="a worker process needs POSIX")
@pytest.mark.slow
def test_a_worker_process_compiles_and_this_one_only_runs(request):
    from torch._dynamo.utils import counters

    torch.compiler.reset()
    counters.clear()
    # A setting of this process that every graph is guarded on.
    request.addfinalizer(
        partial(torch.set_float32_matmul_precision, torch.get_float32_matmul_precision())
    )
    torch.set_float32_matmul_precision("high")
    model, x = layers(), torch.randn(5, 8)
    quick = Yielding(nice=0, cores=0)
    with background_compile(model, dynamic=True, worker="process", yielding=quick) as made:
        with torch.no_grad():
            assert torch.equal(made(x), model(x))
            assert made.wait(LONG)
            assert [event.what for event in made.events] == ["queued", "compiled"], made.events
            # Every input that the one graph does not take is answered eagerly, and correctly.
            (graph,) = made._path._packages
            for other in (torch.randn(0, 8), torch.randn(1, 8), torch.randn(2, 3, 8)):
                assert torch.allclose(made(other), model(other), atol=1e-6)
                assert not graph.fits((other,), {})
            assert not graph.fits((x.double(),), {})
            assert graph.fits((torch.randn(9, 8),), {})
            with torch.enable_grad():
                assert not graph.fits((x,), {})
            # The live model's weights are used.
            model[0].weight.mul_(2)
            assert torch.allclose(made(x), model(x), atol=1e-6)
        assert counters["stats"]["unique_graphs"] == 0  # Dynamo traced nothing here
        assert made.wait(LONG)
        made._path._worker._process.send_signal(signal.SIGKILL)
        made._path._worker._process.wait(LONG)
        made(x.new_zeros(3, 3, 8))
        assert made.wait(LONG)
        assert made.events[-1].what == "compiled", made.events
        process = made._path._worker._process
    assert process.poll() is not None


LOADING = """
import sys, torch
from compilescope.mitigations.package import Package, Shell
from compilescope.mitigations.yielding import import_compiler
import_compiler()
before = set(sys.modules)
with torch.no_grad():
    Package(Shell(torch.nn.Linear(8, 8, bias=False)), open(sys.argv[1], "rb").read())
new = [name for name in sys.modules if name not in before]
print(*(name for name in new if name.startswith("torch.") and "compile_tasks" not in name))
"""


@pytest.mark.slow
def test_all_that_loading_a_graph_imports_is_imported_beforehand(tmp_path):
    """Imports hold the interpreter lock: on an H200 calls waited for up to 0.46 s."""
    from compilescope.mitigations.package import Shell, make

    torch.compiler.reset()
    with torch.no_grad():
        shell = Shell(torch.nn.Linear(8, 8, bias=False))
        packed = make(shell, ((torch.randn(5, 8),), {}), dynamic=True, mode=None)
    path = tmp_path / "graph"
    path.write_bytes(packed)
    done = subprocess.run(
        [sys.executable, "-c", LOADING, str(path)],
        capture_output=True, text=True, check=True, timeout=LONG,
    )  # fmt: skip
    assert done.stdout.split() == [], done.stdout


def test_a_model_arrives_with_its_sizes_and_small_tables_but_no_weights():
    model = layers().eval()
    model.register_buffer("table", torch.arange(4))
    model.again = model[0]
    arrived = parcel.unpack(parcel.pack(model))
    assert arrived.again.weight is arrived[0].weight
    assert arrived.table.tolist() == [0, 1, 2, 3]
    assert not arrived.training
    for one, other in zip(arrived.parameters(), model.parameters(), strict=True):
        assert (one.shape, one.dtype, one.requires_grad) == (
            other.shape, other.dtype, other.requires_grad,
        )  # fmt: skip
        assert one.count_nonzero() == 0


def test_inputs_arrive_as_they_are():
    given = {
        "turned": torch.randn(3, 4).t(),
        "wide": torch.randn(1, 4).expand(3, 4),
        "half": torch.randn(3).to(torch.bfloat16),
        "none": torch.empty(0, 3),
        "flags": torch.tensor([True, False]),
        "number": torch.tensor(3),
    }
    arrived = parcel.unpack(parcel.pack(given, values=True))
    for name, tensor in given.items():
        assert torch.equal(arrived[name], tensor), name
        assert arrived[name].stride() == tensor.stride(), name
        assert not arrived[name]._is_view()


def test_what_cannot_be_sent_is_refused_when_it_is_made():
    with pytest.raises(UsageError, match="cannot be sent"):
        background_compile(lambda x: x + 1, worker="process")


@pytest.mark.parametrize(
    ("given", "text"),
    [({"worker": "cloud"}, "cloud"), ({"worker": "process", "backend": "eager"}, "inductor")],
)
def test_other_workers_are_refused(given, text):
    with pytest.raises(UsageError, match=text):
        background_compile(layers(), **given)


def test_a_worker_starts_no_worker(monkeypatch):
    monkeypatch.setenv("COMPILESCOPE_COMPILE_WORKER", "1")
    with pytest.raises(UsageError, match="worker") as raised:
        background_compile(layers(), worker="process")
    assert "__main__" in raised.value.hint
