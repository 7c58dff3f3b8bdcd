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
import logging
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
            result |= _compiled(torch, *make())
        except BaseException as error:  # noqa: BLE001  an example may do anything
            result["error"] = _text(error)
    return result


def _run(function: Any, calls: list[tuple[Any, ...]]) -> None:
    for arguments in calls:
        function(*arguments)


def _compiled(torch: Any, function: Any, calls: list[tuple[Any, ...]]) -> dict[str, Any]:
    """Graph breaks, recompiles and the error of a compiled run.

    A break shows in three ways, none of which is reliable alone: PyTorch counts it, PyTorch logs
    it (the only way for a break behind the front end), or the first call gives not one graph.
    """
    aot = torch._dynamo.lookup_backend("aot_eager")  # noqa: SLF001  it has no public name
    graphs: list[int] = []
    call = 0

    def count(graph: Any, inputs: Any) -> Any:
        graphs.append(call)
        return aot(graph, inputs)

    logged = _Breaks()
    logging.getLogger("torch._dynamo").addHandler(logged)
    torch._logging.set_logs(graph_breaks=True)  # noqa: SLF001  documented, though private
    compiled = torch.compile(function, backend=count)
    error = ""
    for call, arguments in enumerate(calls):  # noqa: B007  `count` reads it
        error = error or _error(lambda given=arguments: compiled(*given))
    counted = dict(torch._dynamo.utils.counters["graph_break"])  # noqa: SLF001
    first = graphs.count(0)
    shown = [*logged.texts, *counted, *([f"{first} graphs"] if first != 1 and not error else [])]
    return {
        "raised": error,
        "broke": shown[0][:300] if shown else "",
        "recompiles": len(graphs) - first,
    }


class _Breaks(logging.Handler):
    """Keeps what PyTorch logs about graph breaks."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the line that names the break."""
        text = record.getMessage()
        if "raph break" in text:
            lines = [line.strip() for line in text.splitlines() if line.strip()]
            self.texts.append(lines[2] if len(lines) > 2 else lines[0])


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


def _warm_up(torch: Any) -> None:
    """Import once, before the forks, what the first compile imports.

    Without gradients: on a build for CUDA autograd must not have run before a fork.
    """
    with contextlib.suppress(Exception):
        torch.compile(lambda x: x + 1, backend="aot_eager")(torch.ones(1))
        torch._dynamo.reset()  # noqa: SLF001  it has no public name before 2.1
        torch._dynamo.utils.counters.clear()  # noqa: SLF001


def main() -> None:
    """One line an example."""
    import torch
    import torch._dynamo

    torch.set_num_threads(1)
    _warm_up(torch)
    for path in sys.argv[1:]:
        line = _forked(path) if hasattr(os, "fork") else json.dumps(measure(path))
        print(line, flush=True)


if __name__ == "__main__":
    main()
