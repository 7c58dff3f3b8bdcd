"""The worker process: compiles what its parent sends until the parent is gone.

Started by path, since the parent may have compilescope from elsewhere than its own `sys.path`.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from multiprocessing import spawn
from multiprocessing.connection import Connection
from typing import Any


def main() -> None:
    """Answer one job after the other; the argument is the descriptor of the connection."""
    descriptor = int(sys.argv[1])
    os.set_inheritable(descriptor, False)
    connection: Any = Connection(descriptor)
    # What is printed here is no output of the service.
    os.dup2(2, 1)
    try:
        setting = connection.recv()
        _settle(setting)
        from compilescope.mitigations.worker_job import Compiler

        compiler = Compiler(setting)
        while True:
            connection.send(compiler.answer(connection.recv()))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return


def _settle(setting: dict[str, Any]) -> None:
    if setting["nice"]:
        os.nice(setting["nice"])
    if setting["cores"]:
        os.sched_setaffinity(0, setting["cores"])
    _find_package(setting["package"])
    spawn.prepare(setting["preparation"])


def _find_package(folder: str) -> None:
    """Make `compilescope` importable from its own folder where it is not installed."""
    if importlib.util.find_spec("compilescope") is not None:
        return
    spec = importlib.util.spec_from_file_location(
        "compilescope",
        os.path.join(folder, "__init__.py"),
        submodule_search_locations=[folder],
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["compilescope"] = module
    spec.loader.exec_module(module)


if __name__ == "__main__":
    main()
