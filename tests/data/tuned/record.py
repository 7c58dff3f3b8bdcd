"""Tunes `serve.py` anew; needs an interpreter that has compilescope and torch.

Paths become those of a user at home. Where the trials lay, and their overlays, are left out.
"""

from __future__ import annotations

import gzip
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
HOME = "/home/user/project"


def cleaned(text: str, folder: str) -> str:
    text = text.replace(folder, HOME).replace(sys.executable, "/usr/bin/python3")
    return re.sub(r"/tmp/compilescope-tune-\w+", "/tmp/tune", text)


with tempfile.TemporaryDirectory() as folder:
    shutil.copy(HERE / "serve.py", folder)
    command = [sys.executable, "-m", "compilescope", "tune", "--budget", "6", "serve.py"]
    subprocess.run(command, cwd=folder, check=False)
    written = Path(folder) / ".compilescope"
    result = json.loads(cleaned((written / "serve-tuned.json").read_text(), folder))
    session = gzip.decompress((written / "serve-tuned.cscope.json.gz").read_bytes()).decode()
    session = cleaned(session, folder)
for trial in (result["baseline"], *result["trials"]):
    trial["session"] = trial["overlay"] = ""
(HERE / "serve-tuned.json").write_text(json.dumps(result, indent=2) + "\n")
(HERE / "serve-tuned.cscope.json.gz").write_bytes(gzip.compress(session.encode(), mtime=0))
