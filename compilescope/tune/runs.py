"""Runs of the program: each a fresh process with compile caches of its own, or one kept before."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from compilescope import store
from compilescope.errors import CompilescopeError
from compilescope.model import Session
from compilescope.probe.launcher import Run, compile_workers, end, probe
from compilescope.tune.measure import Notes, read_notes

_VARIABLES = ("TORCH", "PYTORCH", "CUDA", "TRITON", "OMP_", "PYTHONHASHSEED", "PYTHONPATH")


class StoppedError(Exception):
    """The user interrupted a run."""


@dataclass(frozen=True)
class Recorded:
    """What a run left."""

    session: Session
    notes: Notes
    path: Path  # of the session
    log: Path
    limit: float | None = None  # the seconds that it was given
    reused: bool = False

    @property
    def ended_by_us(self) -> bool:
        """Whether it was ended because its time was over."""
        seconds = self.session.seconds
        return self.limit is not None and seconds is not None and seconds >= self.limit


@dataclass
class Runs:
    """Starts the program again and again, and knows the runs that a kept folder already has."""

    command: tuple[str, ...]
    name: str
    folder: Path
    warm_cache: bool = False
    sync: bool = False
    stdin: Path = Path(os.devnull)
    reuse: bool = False
    jobs: int = 1  # runs side by side
    _running: set[subprocess.Popen[bytes]] = field(default_factory=set)
    _stopped: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _used: set[str] = field(default_factory=set)

    def run(self, name: str, content: dict[str, Any], limit: float | None) -> Recorded:
        """The record of a run with the overlay `content`; safe to call from several threads."""
        known = self._kept(name, content) if self.reuse else None
        if known is not None:
            return known
        stem = self._stem(name)
        raw = self.folder / f"{stem}.raw"
        shutil.rmtree(raw, ignore_errors=True)
        path = self.folder / f"{stem}.overlay.json"
        path.write_bytes(msgspec.json.encode(content))
        cache = tempfile.mkdtemp(prefix="cache-", dir=self.folder)
        variables = {"COMPILESCOPE_OVERLAY": str(path.absolute())} | compile_workers(self.jobs)
        if not self.warm_cache:
            variables["TORCHINDUCTOR_CACHE_DIR"] = cache
        run = Run(
            self.command,
            self.name,
            self.folder / f"{stem}.cscope.json.gz",
            raw,
            self.sync,
            variables=variables,
            log=self.folder / f"{stem}.log",
            limit=limit,
            stdin=self.stdin,
            group=True,
            started=self._started,
        )
        try:
            session = probe(run).session
        finally:
            shutil.rmtree(cache, ignore_errors=True)
        if self._stopped or session.how == "interrupted":
            raise StoppedError
        recorded = Recorded(session, read_notes(raw), run.output or path, run.log or path, limit)
        if not recorded.ended_by_us:
            self._remember(stem, content, session)
        return recorded

    def stop(self) -> None:
        """End every run that is under way."""
        self._stopped = True
        for process in list(self._running):
            end(process, whole=True, patience=3.0)

    def _started(self, process: subprocess.Popen[bytes]) -> None:
        with self._lock:
            self._running = {one for one in self._running if one.poll() is None} | {process}

    def _stem(self, name: str) -> str:
        """A name for the run's files that no earlier run has."""
        with self._lock:
            stem, number = name, 1
            while stem in self._used or (self.reuse and (self.folder / f"{stem}.key").exists()):
                number += 1
                stem = f"{name}-{number}"
            self._used.add(stem)
            return stem

    def _remember(self, stem: str, content: dict[str, Any], session: Session) -> None:
        if "sources" not in content:
            files = {str(path): _digest(path) for path in _files(self.command, session)}
            data = {"key": self._key(stem, content), "files": files}
            (self.folder / f"{stem}.key").write_bytes(msgspec.json.encode(data))

    def _kept(self, name: str, content: dict[str, Any]) -> Recorded | None:
        if "sources" in content:
            return None
        for path in sorted(self.folder.glob("*.key")):
            stem = path.name.removesuffix(".key")
            with suppress(OSError, msgspec.DecodeError, KeyError, CompilescopeError):
                data = msgspec.json.decode(path.read_bytes())
                fresh = all(_digest(Path(one)) == sha for one, sha in data["files"].items())
                if fresh and data["key"] == self._key(name, content) and stem not in self._used:
                    session = self.folder / f"{stem}.cscope.json.gz"
                    notes = read_notes(self.folder / f"{stem}.raw")
                    log = self.folder / f"{stem}.log"
                    with self._lock:
                        self._used.add(stem)
                    return Recorded(store.load(session), notes, session, log, reused=True)
        return None

    def _key(self, name: str, content: dict[str, Any]) -> str:
        """What a run depends on, but for the text of the program."""
        variables = {
            key: value for key, value in sorted(os.environ.items()) if key.startswith(_VARIABLES)
        }
        again = name.startswith("again")
        parts = (
            self.command, content, variables, self.warm_cache, self.sync, again,
            _digest(self.stdin), _torch(self.command[0]), str(Path.cwd()),
        )  # fmt: skip
        return hashlib.sha256(msgspec.json.encode(parts, order="deterministic")).hexdigest()


def _files(command: tuple[str, ...], session: Session) -> Iterator[Path]:
    """The sources of the program, as far as its run showed them."""
    frames = [getattr(event, "frame", None) for event in session.events]
    frames += [one.frame for one in session.callables]
    named = [frame.path for frame in frames if frame is not None]
    for text in dict.fromkeys([*command[1:2], *named]):
        path = Path(text)
        if path.suffix == ".py" and "site-packages" not in path.parts and path.exists():
            yield path.resolve()


def _digest(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
    except OSError:
        return ""


def _torch(python: str) -> str:
    """The interpreter's torch, by the file that holds its version."""
    home = Path(shutil.which(python) or python).parent.parent
    found = sorted(home.glob("lib/python*/site-packages/torch/version.py"))
    return "".join(_digest(path) for path in found)
