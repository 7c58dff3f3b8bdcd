"""Runs the measuring part in the user's interpreter, and reads what it wrote."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from compilescope.bench.plan import Plan
from compilescope.bench.progress import Progress
from compilescope.benching import Setting
from compilescope.errors import ProgramError
from compilescope.probe.launcher import compile_workers

CHILD = Path(__file__).parent / "agent" / "bench_child.py"
_LOOK = 5.0  # seconds between two looks at a process that is waited for


@dataclass
class Found:
    """The records of one process."""

    records: list[dict[str, Any]] = field(default_factory=list)
    log: Path | None = None  # what the process printed
    code: int | None = None
    ended: str = ""  # "interrupted", "out of time", "" where it ended by itself
    compiling: int = 0  # others that still compiled while this one was measured

    def all(self, record: str) -> list[dict[str, Any]]:
        """The records of this sort."""
        return [one for one in self.records if one["record"] == record]

    def first(self, record: str) -> dict[str, Any]:
        """The first record of this sort, empty where there is none."""
        return next(iter(self.all(record)), {})

    def blocks(self, variant: str, case: int) -> list[dict[str, Any]]:
        """The blocks of calls of one variant with the inputs of one case, in order."""
        return [one for one in self.all("block")
                if one["variant"] == variant and one["case"] == case]  # fmt: skip


class Child:
    """One measuring process, from its start to its end."""

    def __init__(self, plan: Plan, setting: Setting, stem: Path, cache: Path, *, measure: bool,
                 gated: bool = False, beside: int = 1) -> None:  # fmt: skip
        self.plan, self.setting, self.cache = plan, setting, cache
        self._began = time.monotonic()
        self.out, self.log = stem.with_suffix(".jsonl"), stem.with_suffix(".log")
        self._gate = stem.with_suffix(".go")
        for path in (self.out, self._gate):  # a folder that is kept has those of the last bench
            path.unlink(missing_ok=True)
        content = plan.specification(setting, self.out.absolute(), measure=measure)
        content["gate"] = str(self._gate.absolute()) if gated else ""
        specification = stem.with_suffix(".json")
        specification.write_bytes(msgspec.json.encode(content))
        command = [plan.python, str(CHILD), str(specification.absolute())]
        self._process = _start(command, self.log, _variables(cache, beside))

    def wait(self, seconds: float) -> str:
        """Wait for its end; why it did not come, "" where it did."""
        try:
            self._process.wait(max(0.1, seconds))
        except subprocess.TimeoutExpired:
            return "out of time"
        except KeyboardInterrupt:
            return "interrupted"
        return ""

    def is_over(self) -> bool:
        """Whether it has ended."""
        return self._process.poll() is not None

    def is_ready(self) -> bool:
        """Whether it has compiled everything and waits for its turn."""
        try:
            return b'"record": "ready"' in self.out.read_bytes()
        except OSError:
            return False

    def age(self) -> float:
        """Seconds since it was started."""
        return time.monotonic() - self._began

    def stage(self) -> str:
        """What it does now, in words."""
        found = self.found()
        if found.first("warm"):
            return "waiting for its turn" if found.first("ready") else "measuring"
        if found.first("marks"):
            return "compiling"
        if found.first("subject"):
            return "running eagerly"
        return "running the program" if found.first("program") else "starting"

    def go(self) -> None:
        """Let it measure."""
        self._gate.touch()

    def close(self) -> None:
        """End it, and every worker that it left."""
        _end(self._process)

    def found(self, ended: str = "") -> Found:
        """What it wrote so far."""
        return Found(list(_records(self.out)), self.log, self._process.returncode, ended)


class Processes:
    """Starts the processes of a bench, each setting with a compile cache of its own."""

    def __init__(self, plan: Plan, folder: Path) -> None:
        self._plan = plan
        self._folder = folder
        self._began = time.monotonic()
        self._count = 0

    def left(self) -> float:
        """Seconds that may still be spent."""
        return self._plan.minutes * 60 - (time.monotonic() - self._began)

    def start(self, setting: Setting, cache: Path, *, measure: bool, gated: bool = False,
              beside: int = 1) -> Child:  # fmt: skip
        """A process that has begun, one of `beside`; `gated` measures only when it is told to.

        Raises:
            ProgramError: the interpreter cannot be started.
        """
        self._count += 1
        stem = self._folder / f"{self._count}{'' if measure else '-warm'}"
        return Child(self._plan, setting, stem, cache, measure=measure, gated=gated,
                     beside=beside)  # fmt: skip

    def run(self, setting: Setting, cache: Path, limit: float, progress: Progress, *,
            measure: bool) -> Found:  # fmt: skip
        """One process to its end, to the user's interrupt, or until `limit` seconds are over.

        Raises:
            ProgramError: the interpreter cannot be started.
        """
        child = self.start(setting, cache, measure=measure)
        try:
            ended = "out of time"
            while ended == "out of time" and child.age() < limit:
                ended = child.wait(min(_LOOK, limit - child.age()))
                progress.watch([child])
        except KeyboardInterrupt:
            ended = "interrupted"
        finally:
            child.close()
        return child.found(ended)

    def new_cache(self) -> Path:
        """An empty folder for compile caches."""
        folder = self._folder.absolute() / f"cache-{self._count}"
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    @contextmanager
    def cache(self) -> Iterator[Path]:
        """An empty folder for compile caches, gone afterwards."""
        folder = self.new_cache()
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _variables(cache: Path, beside: int) -> dict[str, str]:
    # Lines that torch prints when it compiles, and at no other time; --keep keeps the user's too.
    logs = [os.environ.get("TORCH_LOGS", ""), "recompiles", "graph_breaks"]
    return {
        **os.environ,
        **compile_workers(beside),
        "TORCHINDUCTOR_CACHE_DIR": str(cache / "inductor"),
        "TRITON_CACHE_DIR": str(cache / "triton"),
        "TORCH_LOGS": ",".join(filter(None, logs)),
        "PYTHONUNBUFFERED": "1",
    }


def _start(command: list[str], log: Path, variables: dict[str, str]) -> subprocess.Popen[bytes]:
    try:
        with log.open("wb") as printed:
            return subprocess.Popen(  # noqa: S603  it is the user's own interpreter
                command,
                env=variables,
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=subprocess.STDOUT,
                # A Ctrl-C is ours to act on: the process and its compile workers then end.
                start_new_session=True,
            )
    except OSError as error:
        raise ProgramError(
            f"cannot run {command[0]}",
            cause=error.strerror or str(error),
            hint="--python takes the path of a Python interpreter",
        ) from error


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the process, and the workers that it left."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(OSError):
            os.killpg(process.pid, number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(5)
            if number is signal.SIGTERM:
                # The leader is gone; what still stands in its group would outlive it.
                with suppress(OSError):
                    os.killpg(process.pid, signal.SIGKILL)
            return


def _records(path: Path) -> Iterator[dict[str, Any]]:
    """The records in `path`; a line that was cut short is left out."""
    try:
        lines = path.read_bytes().splitlines()
    except OSError:
        return
    for line in lines:
        with suppress(msgspec.DecodeError):
            record = msgspec.json.decode(line)
            if isinstance(record, dict) and "record" in record:
                yield record
