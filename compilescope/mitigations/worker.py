"""The serving side of the worker process."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from multiprocessing import Pipe, spawn
from typing import Any

from compilescope.errors import UsageError
from compilescope.mitigations.call_state import CallState, process_settings
from compilescope.mitigations.worker_job import configs

_MOST_STARTS = 3
_WORKER = "COMPILESCOPE_COMPILE_WORKER"
_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# A probe of the service is not one of its worker; its records would be taken for the service's.
_NOT_INHERITED = ("COMPILESCOPE_RAW", "COMPILESCOPE_OVERLAY", "TORCH_TRACE")


class WorkerError(Exception):
    """The worker could not compile, or is gone."""


class Worker:
    """A process that compiles; started again where it dies, three times in all."""

    def __init__(self, *, nice: int, compilers: int, main: bool, **setting: Any) -> None:
        """Start it; it imports torch while the caller goes on.

        Args:
            nice: Added to its niceness.
            compilers: Processes that it may start; 0 leaves torch's own number.
            main: Whether it needs the program's main module, where classes of the model are.
            setting: What `Compiler` is made with.

        Raises:
            UsageError: this system cannot, or this process is such a worker itself.
        """
        if os.environ.get(_WORKER):
            raise UsageError(
                "a compile worker cannot start another",
                cause="the program starts its service when it is imported, as the worker does",
                hint='put what starts it under `if __name__ == "__main__":`',
            )
        if os.name != "posix":
            raise UsageError('worker="process" needs a POSIX system', hint='worker="thread"')
        self._compilers = compilers
        self._main = main
        cores = os.sched_getaffinity(0) if sys.platform.startswith("linux") else ()
        self._setting = {**setting, "nice": nice, "cores": sorted(cores), "package": _PACKAGE}
        self._lock = threading.Lock()
        self._closed = False
        self._starts = 0
        self._model = b""
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: Any = None
        self._start()

    def compile(self, model: bytes, inputs: bytes, state: CallState) -> tuple[str, Any]:
        """What the worker answers to a job; see `Compiler.answer`.

        Raises:
            WorkerError: it is gone, or has gone too often.
        """
        self._revive()
        try:
            same = model == self._model
            self._connection.send(
                {
                    "model": b"" if same else model,
                    "inputs": inputs,
                    "state": state,
                    "settings": process_settings(),
                }
            )
            self._model = model
            answer: tuple[str, Any] = self._connection.recv()
        except (EOFError, OSError) as error:
            self._model = b""
            code = self._ended()
            raise WorkerError(f"the worker process ended with exit code {code}") from error
        return answer

    def close(self) -> None:
        """End it, also in the middle of a job."""
        with self._lock:
            self._closed = True
            if self._process is not None and self._process.poll() is None:
                self._process.kill()
                self._process.wait()

    def _revive(self) -> None:
        if self._process is not None and self._process.poll() is not None:
            if self._starts >= _MOST_STARTS:
                raise WorkerError(f"the worker process ended {self._starts} times")
            self._model = b""
            self._start()

    def _ended(self) -> int | None:
        if self._process is None:
            return None
        try:
            return self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()

    def _start(self) -> None:
        with self._lock:
            if self._closed:
                raise WorkerError("the worker process is closed")
            self._starts += 1
            ours, theirs = Pipe()
            executable = os.fsdecode(spawn.get_executable() or sys.executable)
            program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "worker_main.py")
            environment = {**os.environ, _WORKER: "1"}
            if self._compilers:
                environment["TORCHINDUCTOR_COMPILE_THREADS"] = str(self._compilers)
            for name in _NOT_INHERITED:
                environment.pop(name, None)
            self._process = subprocess.Popen(  # noqa: S603  our own file
                [executable, program, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                env=environment,
            )
            theirs.close()
            self._connection = ours
            ours.send(
                {
                    **self._setting,
                    "preparation": _preparation(main=self._main),
                    "configs": configs(),
                }
            )


def _preparation(*, main: bool) -> dict[str, Any]:
    """What multiprocessing tells a process that it spawns: the path, and the main module."""
    found: dict[str, Any] = spawn.get_preparation_data("compilescope-compile-worker")
    found.pop("authkey", None)
    found.pop("start_method", None)
    if not main:
        found.pop("init_main_from_name", None)
        found.pop("init_main_from_path", None)
    return found
