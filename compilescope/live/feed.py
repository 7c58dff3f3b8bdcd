"""The two feeds of a session, tapped in this process: torch's trace and the agent's calls.

A handler on torch's trace logger gets every structured record with no environment variable; it is
written as TORCH_TRACE would write it, so that one parser reads both. The calls come from the same
tracker that runs in a probed program.
"""

from __future__ import annotations

import copy
import logging
import os
import threading
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from compilescope.logs.trace_kinds import IGNORED
from compilescope.model import Gap
from compilescope.probe.raw import TRACE

_AGENT = "compilescope.probe.agent._compilescope_agent"  # a folder, not a package of ours
_UNREAD = frozenset(kind.decode() for kind in IGNORED) - {"stack"}
_lock = threading.RLock()
_open: list[Feed] = []
_HOOKS = "enter_exit_hooks"  # what torch runs around each call of what a context compiled


class Feed:
    """Writes what happens between `start` and `stop` to a raw folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._record: Any = None
        self._tracker: Any = None
        self._handler = _TraceHandler(folder / TRACE / "live.log")
        self._hooks: dict[int, tuple[Any, Any]] = {}
        self._filters: dict[logging.Logger, tuple[list[Any], int]] = {}

    def start(self) -> None:
        """Begin, also for what was compiled before."""
        torch = import_module("torch")
        eval_frame = import_module("torch._dynamo.eval_frame")
        logs, calls = _agent("torch_logs"), _agent("calls")
        (self._folder / TRACE).mkdir(parents=True, exist_ok=True)
        self._record = _agent("record").Record(str(self._folder))
        _agent("environment").note_torch(torch, _OwnTrace(self._record))
        self._tracker = calls.Tracker(self._record)
        names = [logs.TRACE, "torch._dynamo.convert_frame", *sum(logs.QUIET.values(), ())]
        for logger in map(logging.getLogger, names):
            self._filters[logger] = (list(logger.filters), logger.level)
        logs.watch(self._record)
        logging.getLogger(logs.TRACE).addHandler(self._handler)
        with _lock:
            _open.append(self)
            eval_frame.OptimizeContext.enter_exit_hooks = property(_hooks_of, _set_hooks)

    def follow(self, context: Any) -> None:
        """See the calls of what `context` compiles."""
        if id(context) not in self._hooks:
            hook = self._tracker.hook(context)
            vars(context)[_HOOKS].insert(0, hook)
            self._hooks[id(context)] = (context, hook)

    def stop(self) -> None:
        """Leave everything as it was found."""
        logs = _agent("torch_logs")
        logging.getLogger(logs.TRACE).removeHandler(self._handler)
        for logger, (filters, level) in self._filters.items():
            for extra in [item for item in logger.filters if _writes_to(item, self._record)]:
                logger.removeFilter(extra)
            if len(logger.filters) <= len(filters):
                logger.setLevel(level)
        with _lock:
            if self in _open:
                _open.remove(self)
            if not _open:
                with suppress(AttributeError):
                    del import_module("torch._dynamo.eval_frame").OptimizeContext.enter_exit_hooks
        for context, hook in self._hooks.values():
            with suppress(ValueError):
                vars(context)[_HOOKS].remove(hook)
        self._hooks.clear()
        self._forget_misses()
        self._record.close()
        self._handler.close()

    @property
    def compiles(self) -> int:
        """Compiles that ended, or were refused by the limit, so far."""
        return self._handler.compiles

    def gaps(self) -> tuple[Gap, ...]:
        """What the files lack."""
        lost, again = self._handler.lost, self._handler.again
        found = [Gap("records that could not be written", lost)] if lost else []
        if again:
            detail = "torch._dynamo.reset() ran inside the block and began to count anew"
            found.append(
                Gap("compiles under an id that was given out before", again, detail=detail)
            )
        return tuple(found)

    def _forget_misses(self) -> None:
        if self._tracker._counts_misses:  # noqa: SLF001  the agent never stops, and has no name for it
            import_module("torch")._C._dynamo.eval_frame.set_guard_complete_hook(None)  # noqa: SLF001


class _OwnTrace:
    """A record that names no TORCH_TRACE: a folder given there has all of our compiles as well."""

    def __init__(self, record: Any) -> None:
        self._record = record

    def note(self, record: str, **fields: Any) -> None:
        """Append a line."""
        self._record.note(record, **{**fields, "trace": ""})


class _TraceHandler(logging.Handler):
    """Writes torch's structured records as TORCH_TRACE does."""

    def __init__(self, path: Path) -> None:
        super().__init__(logging.DEBUG)
        self._path = path
        self._file: Any = None
        self._pid = os.getpid()
        self._started: set[str] = set()
        self.compiles = 0
        self.lost = 0
        self.again = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Write `record`, unless no reader would look at it."""
        metadata: Any = getattr(record, "metadata", {})
        if os.getpid() != self._pid or not _UNREAD.isdisjoint(metadata):
            return
        try:
            if self._file is None:
                self._begin(record)
            self._file.write(f"{self.format(record)}\n")
            self.compiles += "compilation_metrics" in metadata
            if "dynamo_start" in metadata and not metadata.get("attempt"):
                self._count(_agent("torch_logs").compile_id(metadata))
        except Exception:  # noqa: BLE001  the program comes first
            self.lost += 1

    def _count(self, compile_id: str) -> None:
        self.again += compile_id in self._started
        self._started.add(compile_id)

    def close(self) -> None:
        """End the file."""
        if self._file is not None:
            self._file.close()
            self._file = None
            self._path = self._path.with_name("late.log")
        super().close()

    def _begin(self, record: logging.LogRecord) -> None:
        internal = import_module("torch._logging._internal")
        self.setFormatter(internal.TorchLogsFormatter(trace=True))
        # Line-buffered: a forked child finds nothing in the buffer that it could write again.
        self._file = self._path.open(
            "w", buffering=1, encoding="utf-8", errors="backslashreplace", newline="\n"
        )
        # File names that torch has numbered before this handler was there are not told again.
        known = import_module("torch._logging.structured").INTERN_TABLE
        for name, number in list(known.items()):
            told = copy.copy(record)
            told.__dict__.update(metadata={"str": [name, number]}, payload=None)
            self._file.write(f"{self.format(told)}\n")


def _agent(module: str) -> Any:
    return import_module(f"{_AGENT}.{module}")


def _writes_to(item: Any, record: Any) -> bool:
    return getattr(item, "_record", None) is record


def _hooks_of(context: Any) -> list[Any]:
    # Read at each call: a context made before the block is met too, however it is hidden (what was
    # there at `gc.freeze()` cannot be found by looking for it).
    with _lock:
        for feed in _open:
            feed.follow(context)
    found: list[Any] = vars(context)[_HOOKS]
    return found


def _set_hooks(context: Any, hooks: list[Any]) -> None:
    vars(context)[_HOOKS] = hooks


def _in_child() -> None:
    # A forked child has the hooks of its parent, whose files are not its own to write.
    for feed in tuple(_open):  # which `stop` makes shorter
        feed.stop()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
