"""The script that runs everything on a GPU: order, limits, and results that are there at once."""

from __future__ import annotations

import importlib.util
import sys
import tarfile
import time
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "run.py"


@pytest.fixture
def script(monkeypatch):
    spec = importlib.util.spec_from_file_location("gpu_run", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "gpu_run", module)
    spec.loader.exec_module(module)
    return module


def part(script, name, code, seconds=60, **more):
    return script.Part(name, (sys.executable, "-c", code, "{out}"), seconds, **more)


def members(out):
    with tarfile.open(out / "results.tar.gz") as archive:
        return archive.getnames()


def test_each_part_leaves_its_results_and_its_output(script, tmp_path):
    write = "import sys, pathlib; pathlib.Path(sys.argv[1], 'x.txt').write_text('1'); print('said')"
    runner = script.Runner(tmp_path, time.monotonic() + 60, jobs=2)
    assert runner.run([part(script, "one", write), part(script, "two", write)]) == 0
    assert {"one/x.txt", "two/x.txt", "one/output.txt"} <= set(members(tmp_path))
    assert (tmp_path / "summary.txt").read_text().count("said") == 2
    assert {path.name for path in tmp_path.iterdir()} == {"summary.txt", "results.tar.gz"}


def test_a_part_that_takes_too_long_is_ended_and_keeps_what_it_wrote(script, tmp_path):
    code = (
        "import sys, pathlib, time; pathlib.Path(sys.argv[1], 'half.txt').write_text('1');"
        "time.sleep(600)"
    )
    runner = script.Runner(tmp_path, time.monotonic() + 300, jobs=1)
    assert runner.run([part(script, "slow", code, seconds=10)]) == 1
    assert "slow: out of time" in (tmp_path / "summary.txt").read_text()
    assert "slow/half.txt" in members(tmp_path)


def test_nothing_runs_beside_a_part_that_is_timed(script, tmp_path):
    runner = script.Runner(tmp_path, time.monotonic() + 60, jobs=8)
    timed, other = part(script, "timed", "", alone=True), part(script, "other", "")
    assert runner._has_room(timed)
    runner.running.append(script.Running(other, None, 0.0, 1.0))
    assert not runner._has_room(timed)
    assert runner._has_room(other)
    runner.running[:] = [script.Running(timed, None, 0.0, 1.0)]
    assert not runner._has_room(other)


def test_unknown_parts_are_an_error(script, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["run.py", str(tmp_path), "--parts", "overhead,nonsense"])
    assert script.main() == 2
    assert "nonsense" in capsys.readouterr().err


def test_what_is_needed_most_comes_first(script, monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "argv", ["run.py", str(tmp_path)])
    names = [one.name for one in script.parts(script._arguments())]
    assert names[:4] == ["overhead", "strategies", "graph_net", "caption_step"]
    assert len(set(names)) == len(names)
