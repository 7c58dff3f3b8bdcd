"""Whole benches in child processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from compilescope.benching import Benching

pytestmark = [pytest.mark.torch, pytest.mark.slow]
PROGRAMS = Path(__file__).parent / "programs.py"
VARIABLES = {**os.environ, "OMP_NUM_THREADS": "1", "COLUMNS": "100"}
GRAPH_NET = Path(__file__).parent.parent / "workloads" / "graph_net.py"


@pytest.fixture
def bench(tmp_path):
    pytest.importorskip("torch")

    def run(*arguments, code=0):
        done = subprocess.run(
            [sys.executable, "-m", "compilescope", "bench", "-o", "out.json", "--seconds", "0.2",
             *arguments],
            cwd=tmp_path, env=VARIABLES, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == code, done.stdout + done.stderr
        if code == 2:
            return done, None
        return done, msgspec.json.decode((tmp_path / "out.json").read_bytes(), type=Benching)

    return run


def test_a_search_for_a_training_step_side_by_side(bench):
    done, found = bench(
        "--call", f"{PROGRAMS}:several", "--backend", "eager", "--dynamic", "None", "--search",
        "--train", "--optimizer", "SGD", "--no-warm-cache", "--jobs", "3",
    )  # fmt: skip
    trials = {one.name: one for one in found.trials}
    assert list(trials)[3:] in ([], ["unbacked"])  # where no setting is faster and it recompiled
    assert all(one.outcome == "measured" for one in found.trials)
    # Rows of zeros add to gradients. What a search found not to hold is no error of the program.
    assert trials["marked, padded to 8"].numerics.verdict == "differs"
    assert "compiled beside 2 others" in " ".join(trials["marked"].cautions)
    assert found.notes[-1].endswith("the backend eager has no modes")
    assert "shape_padding off: does not apply, there is no padding to leave out" in done.stderr
    assert "compiling 3 settings side by side: dynamic=None; marked; marked, pad" in done.stderr
    plain, marked = trials["dynamic=None"], trials["marked"]
    assert (plain.recompiles, marked.recompiles) == (1, 0)
    assert (plain.graphs, marked.graphs) == (2, 1)
    assert marked.marks == ("input.shape[0]",)
    assert found.what == "training step"
    assert found.cases[0].inputs[:2] == ("input: float32[4, 8]", "input: float32[6, 8]")
    for one in (plain, marked):
        assert one.numerics.verdict == "same"
        assert "gradient of 0.weight" in {row.name for row in one.numerics.rows}
        measured = one.measured[0]
        assert measured.ratio.low <= measured.ratio.value <= measured.ratio.high
        assert one.cold.seconds > 0
        assert one.eager_memory > 0
    assert "run tune first" not in done.stdout  # tune needs a program
    assert "recompiled at the call: The first positional argument had size 4" in done.stdout


def test_what_a_script_compiles_with_the_inputs_that_it_has(bench):
    done, found = bench("--calls", "6", "--no-warm-cache", str(GRAPH_NET), "--backend", "eager")
    assert found.name == "graph_net.py"
    assert found.what == "inference"
    assert sum(found.cases[0].weights) == 6
    assert found.trials[0].name == "as it is"
    assert found.trials[0].recompiles == 2  # requests 1 and 4
    assert found.trials[0].cold.seconds > 0.5 * found.trials[0].recompile_seconds
    assert found.trials[0].numerics.verdict == "same"
    assert any("6 calls of the program" in note for note in found.notes)
    assert "requests" not in done.stdout  # what the program prints is not ours to print


def test_shapes_are_swept_and_results_that_differ_are_an_error(bench):
    done, found = bench(
        "--call", f"{PROGRAMS}:make", "--backend", "wrong_backend_of_tests",
        "--shapes", "batch=2,5", "--no-warm-cache", "--against", "out.json",
        code=2,
    )  # fmt: skip
    assert "cannot read out.json" in done.stderr
    done, found = bench(
        "--call", f"{PROGRAMS}:make", "--backend", "wrong_backend_of_tests",
        "--shapes", "batch=2,5", "--no-warm-cache", "--page", "page.html",
        code=1,
    )  # fmt: skip
    assert [case.name for case in found.cases] == ["batch=2", "batch=5"]
    assert [one.case for one in found.trials[0].measured] == [0, 1]
    assert found.trials[0].numerics.verdict == "differs"
    assert found.trials[0].numerics.first.startswith("output (batch=2): error ")
    assert found.best is None
    assert "batch=5" in done.stdout


def test_an_interrupt_keeps_what_is_known(tmp_path):
    pytest.importorskip("torch")
    command = [sys.executable, "-m", "compilescope", "bench", "-o", "out.json", "--seconds", "300",
               "--keep", "kept", "--call", f"{PROGRAMS}:make", "--backend", "eager"]  # fmt: skip
    # In a session of its own: with no terminal, the signal reaches the command alone.
    process = subprocess.Popen(
        command, cwd=tmp_path, env=VARIABLES, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, start_new_session=True,
    )  # fmt: skip
    try:
        _until(lambda: _rounds(tmp_path / "kept" / "1.jsonl") > 20, process)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 0, err
    found = msgspec.json.decode((tmp_path / "out.json").read_bytes(), type=Benching)
    assert (found.trials[0].outcome, found.trials[0].why) == ("stopped", "interrupted")
    assert found.trials[0].measured[0].rounds >= 5
    assert "stopped early (interrupted)" in " ".join(out.split())


def _rounds(path):
    return path.read_text().count('"phase": "round"') if path.exists() else 0


def _until(condition, process):
    for _ in range(1200):
        if condition():
            return
        assert process.poll() is None, process.communicate()
        time.sleep(0.1)
    raise AssertionError("it did not begin to measure within two minutes")


def test_no_process_is_left_when_a_bench_ends(tmp_path):
    pytest.importorskip("torch")
    from compilescope.bench.plan import Plan
    from compilescope.bench.process import Processes
    from compilescope.benching import Setting

    plan = Plan(sys.executable, "x", call=f"{PROGRAMS}:make", backend="eager")
    (tmp_path / "1.jsonl").write_text('{"record": "end"}\n')  # of an earlier bench
    child = Processes(plan, tmp_path).start(Setting(), tmp_path, measure=True, gated=True)
    pid = child._process.pid
    assert child.wait(0.1) == "out of time"
    assert not child.found().first("end")
    child.close()
    assert child.is_over()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
