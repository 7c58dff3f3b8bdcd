"""Runs examples of rules under torch.compile. A script: standard library and the user's torch.

    python selftest_child.py EXAMPLE...

Each example has `make()`, which gives a callable and the list of its calls, each a tuple of
arguments. One line of JSON an example goes to stdout. Each runs in a fork of a process that has
imported torch, so that sixty rules take seconds and none sees what another left behind.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import runpy
import signal
import sys
from typing import Any

SECONDS = 90  # for one example


def measure(path: str) -> dict[str, Any]:
    """What an example does under torch.compile."""
    import torch

    result: dict[str, Any] = {"path": path, "torch": torch.__version__, "error": ""}
    quiet = io.StringIO()
    with contextlib.redirect_stdout(quiet), contextlib.redirect_stderr(quiet):
        try:
            make = runpy.run_path(path)["make"]
            result["eager_error"] = _error(lambda: _run(*make()))
            result["broke"] = _error(lambda: _whole(torch, *make()))
            result["recompiles"] = _recompiles(torch, *make())
        except BaseException as error:  # noqa: BLE001  an example may do anything
            result["error"] = _text(error)
    return result


def _run(function: Any, calls: list[tuple[Any, ...]]) -> None:
    for arguments in calls:
        function(*arguments)


def _whole(torch: Any, function: Any, calls: list[tuple[Any, ...]]) -> None:
    """Raises where the function does not become one graph, in the front end or behind it."""
    torch.compiler.reset()
    compiled = torch.compile(function, backend="aot_eager", fullgraph=True)
    compiled(*calls[0])


def _recompiles(torch: Any, function: Any, calls: list[tuple[Any, ...]]) -> int:
    """How many graphs are built after the first call."""
    torch.compiler.reset()
    graphs = [0]

    def count(graph: Any, _: Any) -> Any:
        graphs[0] += 1
        return graph.forward

    compiled = torch.compile(function, backend=count)
    first = 0
    for index, arguments in enumerate(calls):
        compiled(*arguments)
        first = graphs[0] if index == 0 else first
    return graphs[0] - first


def _error(action: Any) -> str:
    try:
        action()
    except Exception as error:  # noqa: BLE001  that it raises is what is asked
        return _text(error)
    return ""


def _text(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0] if lines else ''}"[:300]


def _forked(path: str) -> str:
    reader, writer = os.pipe()
    pid = os.fork()
    if not pid:
        os.close(reader)
        signal.alarm(SECONDS)
        with os.fdopen(writer, "w") as pipe:
            pipe.write(json.dumps(measure(path)))
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    _, status = os.waitpid(pid, 0)
    if text:
        return text
    ended = f"killed by signal {status & 0x7F}" if status & 0x7F else f"exit code {status >> 8}"
    if status & 0x7F == signal.SIGALRM:
        ended = f"no answer in {SECONDS} s"
    return json.dumps({"path": path, "error": ended})


def main() -> None:
    """One line an example."""
    import torch
    import torch._dynamo

    torch.set_num_threads(1)
    for path in sys.argv[1:]:
        line = _forked(path) if hasattr(os, "fork") else json.dumps(measure(path))
        print(line, flush=True)


if __name__ == "__main__":
    main()
