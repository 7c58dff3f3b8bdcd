"""Messages of loggers that are off by default: once each, with how often and for which line."""

from __future__ import annotations

import atexit
import itertools
import logging
import re
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .record import Record

_MOST_MESSAGES = 1_000
_LONGEST = 4000
_DEEPEST = 25
_ATTEMPT = re.compile(r"_\d+$")
# What differs from one time to the next and says nothing: addresses, numbers, all inputs.
_PASSING = re.compile(
    r"(?<= data pointer changed) from \d+ to \d+|, cuda_graph_id=\d+|, inputs: .*"
    r"|(?<=graph recording id) \d+"
)

# They differ each time and tell a user nothing.
_NOISE = ("Checkpointing cuda caching", "tensor_weakrefs length")
_RECORDING = re.compile(r"(?P<id>\[[^\]]*\]) (?P<again>Re-r|R)ecording function=(?P<name>[^,]+)")
_SET_UP = "Recording cudagraph tree for "
_OF_GRAPH = re.compile(r"\[[^\]]*\] (?=Running warmup|Recording function)")
_PARTITION = re.compile(r"^\s+\w+: (?P<told>reason=.*)$", re.DOTALL)
_LOGS_PARTITIONS = ("_log_graph_partitions", "_log_non_cudagraphable_node")

_numbers = itertools.count()


class QuietFilter(logging.Filter):
    """Keeps messages of a logger that is off by default, and lets only through what was let."""

    def __init__(self, record: Record, kind: str, levels: tuple[int, ...]) -> None:
        super().__init__()
        self._record = record
        self._kind = kind
        self._levels = levels
        self._seen: dict[str, list[int]] = {}  # to its number and how often it came
        self._left_out = 0
        self._thread = threading.local()  # .moved: a CUDA graph that did not fit
        self._set_up: dict[int, str] = {}  # by thread: torch 2.11 names the graph a record later
        atexit.register(self._end)

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the program would have seen `record` without us."""
        try:
            self._keep(record)
        except Exception as error:  # noqa: BLE001
            self._record.trouble("message filter", error)
        logger = logging.getLogger(record.name)
        if logger.level not in self._levels or logger.parent is None:
            return True
        return record.levelno >= logger.parent.getEffectiveLevel()

    def _keep(self, record: logging.LogRecord) -> None:
        text = _PASSING.sub("", record.getMessage())[:_LONGEST]
        if record.funcName in _LOGS_PARTITIONS:
            text = _partition(text)
        if not text or text.startswith(_NOISE):
            return
        set_up = self._set_up.pop(threading.get_ident(), "")
        if set_up:
            graph = _OF_GRAPH.match(text)
            self._count(f"{graph[0]}{set_up}" if graph else set_up)
        if text.startswith(_SET_UP):
            self._set_up[threading.get_ident()] = text
        elif recording := _RECORDING.match(text):
            self._recording(recording, text)
        else:
            self._count(text)

    def _recording(self, recording: re.Match[str], text: str) -> None:
        """A graph that did not fit is recorded again only where no other one fits."""
        moved = vars(self._thread).pop("moved", None)
        function = recording["id"], recording["name"]
        if recording["again"] != "R":
            self._thread.moved = function, text
            return
        if moved and moved[0] == function:
            self._count(moved[1])
        self._count(text)

    def _count(self, text: str) -> None:
        known = self._seen.get(text)
        if known is not None:
            known[1] += 1
            return
        if len(self._seen) >= _MOST_MESSAGES:
            self._left_out += 1
            return
        number = next(_numbers)
        self._seen[text] = [number, 1]
        fields: dict[str, Any] = {"at": time.time(), "kind": self._kind, "text": text}
        if self._kind == "perf_hint":
            fields["stack"] = _stack()
        else:
            self._record.saw_cudagraphs = True
        self._record.note("warned", number=number, id=_compile_id(), **fields)

    def _end(self) -> None:
        for text in self._set_up.values():
            self._count(text)
        self._set_up.clear()
        for number, times in self._seen.values():
            if times > 1:
                self._record.note("warned_times", number=number, times=times)
        if self._left_out:
            why = f"{self._left_out} after the first {_MOST_MESSAGES} different ones of a kind"
            self._record.note("missing", what="messages of the compiler", why=why)


def _partition(text: str) -> str:
    """Why an operator stays outside of CUDA graphs, with its stack; equal for equal operators."""
    found = _PARTITION.match(text)
    if found is None:
        return ""  # counts, and the lines of the stack one by one
    told = f"    op: {found['told']}"
    frame: Any = sys._getframe(1)  # noqa: SLF001
    for _ in range(_DEEPEST):
        if frame is None:
            break
        if frame.f_code.co_name == _LOGS_PARTITIONS[-1]:
            return f"{told}\n{_of_partitioned(frame.f_locals)}"
        frame = frame.f_back
    return told


def _of_partitioned(names: dict[str, Any]) -> str:
    """The stack of the operator, or of the first of those that were fused to one."""
    if found := _trace(names.get("fx_node")):
        return found
    parts = getattr(names.get("node"), "get_nodes", None)
    return _of_schedule(parts()) if parts is not None else ""


def _compile_id() -> str:
    context: Any = getattr(sys.modules.get("torch._guards"), "CompileContext", None)
    found = context.current_compile_id() if context is not None else None
    return _ATTEMPT.sub("", str(found)) if found is not None else ""


def _stack() -> str:
    """The user's stack of the operator that inductor is at work on, "" where it is not known."""
    frame: Any = sys._getframe(1)  # noqa: SLF001
    for _ in range(_DEEPEST):
        if frame is None:
            break
        if "/torch/_inductor/" in frame.f_code.co_filename.replace("\\", "/"):
            names = frame.f_locals
            found = _of_schedule(names.get("node_schedule")) or _of_graph(names.get("self"))
            if found:
                return found
        frame = frame.f_back
    return ""


def _of_schedule(schedule: Any) -> str:
    for item in schedule if isinstance(schedule, (list, tuple)) else ():
        for origin in getattr(getattr(item, "node", None), "origins", None) or ():
            if found := _trace(origin):
                return found
    return ""


def _of_graph(owner: Any) -> str:
    return (
        _trace(vars(owner).get("current_node")) if type(owner).__name__ == "GraphLowering" else ""
    )


def _trace(node: Any) -> str:
    meta = getattr(node, "meta", None)
    found = meta.get("stack_trace") if isinstance(meta, dict) else None
    return found[:_LONGEST] if isinstance(found, str) else ""
