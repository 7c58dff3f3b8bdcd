"""Records each program of `programs/` anew; `--conclude` diagnoses the recorded sessions anew.

Needs an interpreter that has compilescope and torch.

Paths become those of a user at home, so that a recording does not tell where it was made.
"""

from __future__ import annotations

import gzip
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


def record(program: Path) -> None:
    """Probe a copy of `program` and keep the session beside this file."""
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copy(program, folder)
        out = Path(folder) / "out.cscope.json.gz"
        command = [sys.executable, "-m", "compilescope", "probe", "-o", str(out), copy]
        subprocess.run(command, cwd=folder, check=False, capture_output=True)
        text = gzip.decompress(out.read_bytes()).decode()
    text = text.replace(folder, HOME).replace(sys.executable, "/usr/bin/python3")
    data = gzip.compress(text.encode(), mtime=0)
    (HERE / f"{program.stem}.cscope.json.gz").write_bytes(data)


def conclude(name: str) -> None:
    """Keep what the diagnosis says of the session `name`, for the tests of the reports."""
    diagnosis = diagnose(store.load(HERE / f"{name}.cscope.json.gz"))
    text = report("json")(diagnosis)
    (HERE.parent / "diagnoses" / f"{name}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    for path in sorted((HERE / "programs").glob("*.py")):
        if "--conclude" not in sys.argv:
            record(path)
        conclude(path.stem)
