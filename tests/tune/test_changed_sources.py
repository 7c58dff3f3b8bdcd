"""A program's files run from changed text, whatever starts the process that runs them."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from compilescope.diagnose import diagnose
from compilescope.probe.launcher import AGENT
from compilescope.tune.measure import measure
from compilescope.tune.runs import Runs
from compilescope.tune.trials import Attempt, Bench

SHOW = (
    '"""About."""\n'
    "import inspect, linecache, sys\n"
    "def f():\n    return 1\n"
    'if __name__ != "other":\n'
    "    names = sorted(name for name in globals() if name.startswith('__'))\n"
    "    spec = __spec__ and __spec__.name\n"
    "    print(__name__, __doc__, __file__, spec, __package__, names, type(__loader__).__name__)\n"
    "    print(sys.argv, sys.path[0], f.__annotations__, f.__code__.co_filename)\n"
    "    print(repr(inspect.getsource(f)), linecache.getline(__file__, 4), f())\n"
)
SPAWN = (
    "import multiprocessing\n"
    "def work():\n    print(__name__, 'old')\n"
    'if __name__ == "__main__":\n'
    '    process = multiprocessing.get_context("spawn").Process(target=work)\n'
    "    process.start()\n"
    "    process.join()\n"
)
LAUNCH = (
    "import subprocess, sys\nsys.exit(subprocess.call([sys.executable, '-u', *sys.argv[1:]]))\n"
)
RANKS = """
import torch
import torch.distributed as dist

dist.init_process_group("gloo")


class Scaled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.steps = 0

    def forward(self, x):
        self.steps += 1
        return x * 2


model = torch.compile(Scaled(), backend="eager")
for n in range(3):
    y = model(torch.full((4,), float(dist.get_rank() + n)))
    dist.all_reduce(y)
dist.destroy_process_group()
"""


@pytest.fixture
def python(tmp_path):
    """Run Python in a folder with the programs, of which one is changed where `new` is given."""
    (tmp_path / "show.py").write_text(SHOW)
    (tmp_path / "spawn.py").write_text(SPAWN)
    (tmp_path / "launch.py").write_text(LAUNCH)
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "show.py").write_text(SHOW)

    def run(*arguments, changed=None, old="", new=""):
        variables = os.environ | {"PYTHONPATH": str(AGENT), "PYTHONDONTWRITEBYTECODE": "1"}
        if changed is not None:
            text = tmp_path / "text"
            text.write_text(changed.read_text().replace(old, new))
            overlay = tmp_path / "overlay.json"
            overlay.write_text(json.dumps({"sources": {str(changed): str(text)}}))
            variables |= {"COMPILESCOPE_RAW": str(tmp_path), "COMPILESCOPE_OVERLAY": str(overlay)}
        done = subprocess.run(
            [sys.executable, *arguments], cwd=tmp_path, env=variables, timeout=120,
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert done.stderr == ""
        return done.stdout

    return run


@pytest.mark.parametrize(
    ("file", "arguments"),
    [
        ("show.py", ["show.py", "-m", "more"]),
        ("show.py", ["-W", "error", "-X", "utf8", "-P" if sys.version_info >= (3, 11) else "-u",
                     "show.py"]),
        ("package/show.py", ["-m", "package.show", "more"]),
        ("show.py", ["launch.py", "show.py", "more"]),
        ("package/show.py", ["launch.py", "-m", "package.show"]),
    ],
    ids=["script", "options", "module", "launcher", "module by a launcher"],
)  # fmt: skip
def test_a_changed_main_module_finds_what_the_unchanged_one_does(tmp_path, python, file, arguments):
    before = python(*arguments)
    assert before.endswith("return 1\n 1\n")
    after = python(*arguments, changed=tmp_path / file, old="return 1", new="return 2")
    assert after == before.replace("return 1", "return 2").replace("\n 1\n", "\n 2\n")


def test_a_spawned_worker_runs_the_changed_text_of_its_parent(tmp_path, python):
    assert python("spawn.py") == "__mp_main__ old\n"
    changed = python("spawn.py", changed=tmp_path / "spawn.py", old="old", new="new")
    assert changed == "__mp_main__ new\n"


@pytest.mark.torch
@pytest.mark.slow
def test_ranks_run_the_changed_script(tmp_path):
    pytest.importorskip("torch")
    script, changed = tmp_path / "ranks.py", tmp_path / "changed"
    script.write_text(RANKS)
    held = 'self.register_buffer("steps", torch.tensor(0), persistent=False)'
    changed.write_text(RANKS.replace("self.steps = 0", held))
    launcher = (sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2")
    runs = Runs((*launcher, str(script)), "ranks.py", tmp_path)
    ran = runs.run("trial", {"sources": {str(script): str(changed)}}, 300)
    assert ran.session.code == 0, ran.log.read_text()
    assert f"source {script}" in ran.notes.applied
    found = measure(ran.session, diagnose(ran.session), ran.notes)
    assert (found.calls, found.recompiles) == (6, 0)


def test_a_change_that_nothing_loads_is_refused(tmp_path):
    script, data = tmp_path / "script.py", tmp_path / "plan.py"
    script.write_text(f"open({str(data)!r}).read()\n")
    data.write_text("")
    bench = Bench((sys.executable, str(script)), "script.py", tmp_path, quiet=True)
    bench.start()
    ran = bench.beside(Attempt((), "the changed source", {str(data): str(data)}))
    assert ran.trial.outcome == "refused"
    assert ran.trial.why == (
        f"source {data}: no process of the program loaded it as a script or module"
    )
