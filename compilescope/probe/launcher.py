"""Runs the program with the agent in it, and makes a session of what it left."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from compilescope import store
from compilescope.errors import InputError, ProgramError
from compilescope.probe import signals
from compilescope.probe.raw import END, LAUNCH, TRACE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from compilescope.model import Session

AGENT = Path(__file__).parent / "agent"
HOME = Path(".compilescope")


@dataclass(frozen=True)
class Run:
    """What to run and how to record it."""

    command: tuple[str, ...]
    name: str
    output: Path | None = None
    keep_raw: Path | None = None
    sync: bool = False
    stdout_to_stderr: bool = False
    variables: Mapping[str, str] = field(default_factory=dict)  # added to the environment
    log: Path | None = None  # takes the program's output, both streams
    limit: float | None = None  # seconds after which the program is ended
    stdin: Path | None = None  # what the program reads, in place of our own input
    group: bool = False  # in a process group of its own, which is ended whole
    started: Callable[[subprocess.Popen[bytes]], None] | None = None  # told of the process


@dataclass(frozen=True)
class Outcome:
    """How the program ended and what was recorded."""

    session: Session
    path: Path
    code: int


def probe(run: Run) -> Outcome:
    """Run a program to its end and save the session of it.

    Raises:
        InputError: the session's file cannot be written; said before the program starts.
        ProgramError: the program cannot be started.
    """
    output = run.output or _dated(run.name)
    raw = _prepare(output, run.keep_raw)
    try:
        status = _execute(run, raw)
    except ProgramError:
        if run.keep_raw is None:
            shutil.rmtree(raw, ignore_errors=True)
        raise
    from compilescope.probe.session import from_raw

    session = from_raw(raw)
    try:
        store.save(session, output)
    except InputError as error:
        raise InputError(
            error.message, cause=error.cause, hint=f"the raw record is kept in {raw}"
        ) from error
    if run.keep_raw is None:
        shutil.rmtree(raw, ignore_errors=True)
    return Outcome(session, output, 128 - status if status < 0 else status)


def _dated(name: str) -> Path:
    stem = "".join(letter if letter.isalnum() or letter in "._-" else "-" for letter in name)
    stamp = datetime.now().astimezone().strftime("%Y%m%d-%H%M%S")
    path = HOME / f"{stem.removesuffix('.py') or 'program'}-{stamp}{store.SUFFIX}"
    number = 1
    while path.exists():
        number += 1
        path = path.with_name(
            f"{path.name.removesuffix(store.SUFFIX).rsplit('_', 1)[0]}_{number}{store.SUFFIX}"
        )
    return path


def _prepare(output: Path, keep_raw: Path | None) -> Path:
    """A raw folder beside the output, which also shows that the output can be written."""
    try:
        if output.is_dir():
            raise IsADirectoryError(0, "it is a folder")
        output.parent.mkdir(parents=True, exist_ok=True)
        if output.parent == HOME:
            _keep_out_of_git(HOME)
        if keep_raw is None:
            raw = Path(
                tempfile.mkdtemp(prefix=f".{output.name}.", suffix=".raw", dir=output.parent)
            )
        else:
            with tempfile.TemporaryFile(dir=output.parent):
                pass
            raw = keep_raw
        if output.exists() and not os.access(output, os.W_OK):
            raise PermissionError(0, "the file is read-only")
    except OSError as error:
        raise InputError(
            f"cannot write {output}",
            cause=error.strerror or str(error),
            hint="name another file with -o",
        ) from error
    try:
        (raw / TRACE).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot write {raw}", cause=error.strerror or str(error)) from error
    return raw.absolute()


def _keep_out_of_git(folder: Path) -> None:
    ignore = folder / ".gitignore"
    if not ignore.exists():
        with suppress(OSError):
            ignore.write_text("*\n", encoding="utf-8")


def _execute(run: Run, raw: Path) -> int:
    """Run the program to its end; its wait status, negative where a signal ended it."""
    sys.stdout.flush()
    sys.stderr.flush()
    with signals.handed_on() as relay:
        started = time.time()
        process = _start(run, raw)
        relay.begin(process)
        if run.started is not None:
            run.started(process)
        _write(
            raw / LAUNCH,
            {
                "pid": process.pid,
                "name": run.name,
                "command": run.command,
                "at": started,
                "folder": str(Path.cwd()),
            },
        )
        # While the program runs there is time to load what reads its record.
        import_module("compilescope.probe.session")

        status = _wait(process, run, relay)
    _write(raw / END, {"status": status, "at": time.time()})
    return status


def _wait(process: subprocess.Popen[bytes], run: Run, relay: signals.Relay) -> int:
    try:
        return relay.wait(process, run.limit)
    except subprocess.TimeoutExpired:
        end(process, whole=run.group)
    return process.wait()


def end(process: subprocess.Popen[bytes], *, whole: bool, patience: float = 10.0) -> None:
    """End `process`, or its whole group; first politely."""
    _signal(process, signal.SIGTERM, whole=whole)
    with suppress(subprocess.TimeoutExpired):
        process.wait(patience)
    if process.poll() is None or whole:
        _signal(process, getattr(signal, "SIGKILL", signal.SIGTERM), whole=whole)
    process.wait()


def _signal(process: subprocess.Popen[bytes], number: int, *, whole: bool) -> None:
    with suppress(OSError):
        if whole and hasattr(os, "killpg"):
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)


def compile_workers(beside: int) -> dict[str, str]:
    """Variables for one of `beside` processes at a time: inductor's workers share the processors.

    Otherwise each process starts as many as there are processors. A user's own number stays.
    """
    name = "TORCHINDUCTOR_COMPILE_THREADS"
    if beside <= 1 or name in os.environ:
        return {}
    return {name: str(max(1, (os.cpu_count() or 1) // beside))}


def _start(run: Run, raw: Path) -> subprocess.Popen[bytes]:
    try:
        with ExitStack() as stack:
            log = stack.enter_context(run.log.open("wb")) if run.log else None
            stdin = stack.enter_context(run.stdin.open("rb")) if run.stdin else None
            return subprocess.Popen(  # noqa: S603  running the user's command is the task
                run.command,
                env={**_variables(raw, sync=run.sync), **run.variables},
                stdin=stdin,
                start_new_session=run.group,
                stdout=log or (sys.stderr.fileno() if run.stdout_to_stderr else None),
                stderr=subprocess.STDOUT if log else None,
            )
    except OSError as error:
        raise ProgramError(
            f"cannot run {run.command[0]}",
            cause=error.strerror or str(error),
            hint="give a Python script, `-m module`, or `-- command` with its full path",
        ) from error


def _variables(raw: Path, *, sync: bool) -> dict[str, str]:
    variables = dict(os.environ)
    path = variables.get("PYTHONPATH")
    variables["PYTHONPATH"] = f"{AGENT.absolute()}{os.pathsep}{path}" if path else str(AGENT)
    variables["COMPILESCOPE_RAW"] = str(raw)
    if sync:
        variables["COMPILESCOPE_SYNC"] = "1"
    # A trace that the user asked for goes where the user wants it; it is read from there.
    variables.setdefault("TORCH_TRACE", str(raw / TRACE))
    return variables


def _write(path: Path, content: dict[str, Any]) -> None:
    with suppress(OSError):
        path.write_text(json.dumps(content), encoding="utf-8")
