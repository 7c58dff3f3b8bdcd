"""Records each program of `programs/` anew; `--conclude` diagnoses the recorded sessions anew.

Needs an interpreter that has compilescope and torch. Names of programs record these alone.

Paths become those of a user at home, so that a recording does not tell where it was made.
"""

from __future__ import annotations

import gzip
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from compilescope import store
from compilescope.diagnose import diagnose
from compilescope.packs import report

HERE = Path(__file__).parent
HOME = "/home/user/project"
TORCHRUN = ("--", "torchrun", "--nproc-per-node", "2")
LAUNCH = {"ranks": TORCHRUN}  # others are given to probe as they are


def record(program: Path) -> None:
    """Probe a copy of `program` and keep the session beside this file."""
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copy(program, folder)
        out = Path(folder) / "out.cscope.json.gz"
        command = [sys.executable, "-m", "compilescope", "probe", "-o", str(out)]
        command += [*LAUNCH.get(program.stem, ()), copy]
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        environment = {**os.environ, "PATH": path, "OMP_NUM_THREADS": "1"}
        subprocess.run(command, cwd=folder, check=False, capture_output=True, env=environment)
        text = gzip.decompress(out.read_bytes()).decode()
    text = text.replace(folder, HOME)
    # torchrun starts its ranks by another name of the interpreter.
    text = re.sub(rf"{re.escape(sys.executable)}[0-9.]*", "/usr/bin/python3", text)
    text = text.replace(sys.prefix, "/home/user/venv").replace(sys.base_prefix, "/usr")
    data = gzip.compress(text.encode(), mtime=0)
    (HERE / f"{program.stem}.cscope.json.gz").write_bytes(data)


def conclude(name: str) -> None:
    """Keep what the diagnosis says of the session `name`, for the tests of the reports."""
    diagnosis = diagnose(store.load(HERE / f"{name}.cscope.json.gz"))
    text = report("json")(diagnosis)
    (HERE.parent / "diagnoses" / f"{name}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    wanted = [name for name in sys.argv[1:] if not name.startswith("-")]
    for path in sorted((HERE / "programs").glob("*.py")):
        if wanted and path.stem not in wanted:
            continue
        if "--conclude" not in sys.argv:
            record(path)
        conclude(path.stem)
