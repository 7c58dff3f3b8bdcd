"""Runs every program and keeps its trace; see README.md."""

import hashlib
import lzma
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
PROGRAMS = "limit breaks training errors symbols variants nothing forked ranks".split()


def record(program, folder):
    arguments = [[program]]
    if program == "ranks":
        arguments = [[program, f"{folder}/store", str(rank)] for rank in range(2)]
    environment = {**os.environ, "TORCH_TRACE": str(folder), "TORCHINDUCTOR_CACHE_DIR": f"{folder}/cache"}
    children = [
        subprocess.Popen([sys.executable, str(HERE / "programs.py"), *rest], env=environment)
        for rest in arguments
    ]
    for child in children:
        child.wait()
    return sorted(Path(folder).glob("*.log"), key=lambda file: file.stat().st_ctime)


def clean(data):
    data = data.replace(str(HERE).encode(), b"/home/user/project")
    data = data.replace(sys.prefix.encode(), b"/home/user/venv")
    records = re.split(rb"\n(?=[^\t])", data)
    return b"\n".join(with_checksum(record) for record in records)


def with_checksum(record):
    header, newline, payload = record.removesuffix(b"\n").partition(b"\n\t")
    digest = hashlib.md5(payload.replace(b"\n\t", b"\n")).hexdigest().encode()
    header = re.sub(rb'(?<="has_payload": ")\w{32}(?=")', digest, header)
    return header + newline + payload + record[len(record.removesuffix(b"\n")) :]


for program in sys.argv[1:] or PROGRAMS:
    with tempfile.TemporaryDirectory() as folder:
        for number, file in enumerate(record(program, folder)):
            name = file.name.replace("dedicated_log_torch_trace_", "")
            rank = name[: name.index("_", 5) + 1] if name.startswith("rank_") else ""
            target = HERE / f"{program}{'_' + str(number) if number else ''}"
            if rank:
                target = HERE / f"{program}_dedicated_log_torch_trace_{rank}"
            Path(f"{target}.log.xz").write_bytes(lzma.compress(clean(file.read_bytes()), preset=9))
