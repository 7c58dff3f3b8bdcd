"""TORCH_LOGS text to events, in every format from PyTorch 2.0 to 2.13.

bytes -- lines.py: prefixes -- text_records.py: records -- here -- text_events.py: events
"""

from __future__ import annotations

import codecs
import re
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from msgspec.structs import replace

from compilescope.logs import text_dynamic
from compilescope.logs.breaks import parse_break
from compilescope.logs.clock import Clock
from compilescope.logs.cpp_guards import leaf_guards
from compilescope.logs.cudagraph_runs import is_again, read_run
from compilescope.logs.log import Log
from compilescope.logs.stacks import FRAME, own_frame, read_stack
from compilescope.logs.text_errors import read_failure
from compilescope.logs.text_events import finish
from compilescope.logs.text_recompiles import read_limit, read_recompile, read_stance
from compilescope.logs.text_records import (
    BREAK,
    LIMIT,
    RECOMPILE,
    TRACEBACK,
    Assembler,
    Record,
)
from compilescope.logs.text_story import Owner, Story, Told
from compilescope.logs.text_warnings import read_message
from compilescope.logs.trace_files import Damaged, opened
from compilescope.model import CudaGraphed, Environment, Gap, GraphBroke

_ITEM = re.compile(r"Graph break from `(?P<call>Tensor\.item\(\)|[^`]+)`, consider setting:")
_ITEM_TYPE = "Unsupported Tensor.item() call with capture_scalar_outputs=False"
_PLACELESS = "<not in this log>"
_CHUNK = 1 << 18
_LONGEST_LINE = 1 << 24


def read_text(
    source: Iterable[bytes | str] | Path, name: str = "", changed: float | None = None
) -> Log:
    """The events of one text log.

    Args:
        source: The file, or its lines.
        name: What the log is called in messages.
        changed: When it was last written, for the year that its lines do not carry.

    Raises:
        InputError: the file is missing or cannot be read.
    """
    if isinstance(source, Path):
        name = name or str(source)
        if changed is None and source.exists():
            changed = source.stat().st_mtime
    reader = TextReader(name, time.time() if changed is None else changed)
    if isinstance(source, Path):
        with opened(source) as read:
            reader.feed_from(read)
    else:
        reader.feed(source)
    return reader.finish()


class TextReader:
    """Reads one text log."""

    def __init__(self, name: str, changed: float) -> None:
        self.name = name
        self.damaged = ""
        self.records = 0
        self.assembler = Assembler()
        self._clock = Clock(changed)
        self._story = Story()
        self._unread = 0
        self._moved: dict[Owner, tuple[Told, CudaGraphed]] = {}
        self._set_up: dict[Owner, tuple[Told, CudaGraphed]] = {}

    def feed(self, lines: Iterable[bytes | str]) -> None:
        """Read the log's lines."""
        for record in self.assembler.records(lines):
            self.records += 1
            self._read(record)

    def feed_from(self, read: Callable[[int], bytes]) -> None:
        """Read the log that `read` gives, up to where it is damaged."""
        self.feed(self._undamaged(lines_of(read)))

    def _undamaged(self, lines: Iterator[bytes | str]) -> Iterator[bytes | str]:
        try:
            yield from lines
        except Damaged as damage:
            self.damaged = str(damage) or "the compressed data ends early"

    def finish(self) -> Log:
        """What was read, once all lines have been fed."""
        for told, run in self._set_up.values():
            self._story.run(told, run)
        self._set_up.clear()
        log = finish(self._story, self._clock.offset)
        facts = self.assembler.facts
        log.environment = Environment(
            torch=facts.get("torch", ""), python=facts.get("python", ""), cuda=facts.get("cuda", "")
        )
        if self.damaged:
            log.gaps.append(Gap("end of a log", detail=f"{self.name}: {self.damaged}"))
        if self._unread:
            log.gaps.append(
                Gap(
                    "records cut short",
                    count=self._unread,
                    share=self._unread / self.records,
                    detail="the log begins or ends within them",
                )
            )
        return log

    def _read(self, record: Record) -> None:
        prefix = record.prefix
        told = Told(
            number=record.number,
            stream=record.stream,
            rank=record.rank,
            pid=prefix.number if prefix else None,
            compile_id=prefix.compile_id if prefix else "",
            at=self._time(record),
        )
        self._story.owners.setdefault(told.owner)
        for line in record.lines:
            if found := FRAME.match(line):
                self._story.paths.add(found["path"])
        if record.kind == RECOMPILE:
            self._recompile(record, told)
        elif record.kind == BREAK:
            self._break(record, told)
        elif record.kind == LIMIT:
            if limit := read_limit(record.lines):
                self._story.limits.append((told, limit))
        elif record.kind == TRACEBACK:
            self._failure(record, told)
        else:
            self._other(record, told)

    def _recompile(self, record: Record, told: Told) -> None:
        rejection = read_recompile(record.lines)
        if rejection is None or not rejection.whole:
            self._unread += 1
        if rejection is not None:
            self._story.rejections.append((told, rejection))

    def _break(self, record: Record, told: Told) -> None:
        text = record.text
        if _ITEM.match(text):
            self._item(record, told)
            return
        if record.cut:
            text = f"Graph break in user code at {_PLACELESS}:0\n{text}"
        event = parse_break(text, process=0, compile_id=told.compile_id, at=told.at)
        if event is None or event.frame.path == _PLACELESS or event.type == "unknown":
            self._unread += 1
        if event is not None and event.frame.path != _PLACELESS:
            self._story.breaks.append((told, event))

    def _item(self, record: Record, told: Told) -> None:
        """The warning about `.item()`, which needs no TORCH_LOGS and comes once a process."""
        stack = read_stack(record.lines)
        frame = own_frame(stack)
        if frame is None:
            self._unread += 1
            return
        event = GraphBroke(
            process=0,
            compile_id=told.compile_id,
            type=_ITEM_TYPE,
            frame=frame,
            at=told.at,
            reason=record.lines[0].rstrip(),
            stack=stack,
        )
        self._story.break_warnings.append((told, event))

    def _failure(self, record: Record, told: Told) -> None:
        failure = read_failure(record.lines)
        if failure is None:
            return
        if stance := read_stance(failure.text):
            self._story.forbidden.append((told, stance))
        self._story.failures.append((told, failure))

    def _other(self, record: Record, told: Told) -> None:
        prefix = record.prefix
        if prefix and prefix.file.endswith(("symbolic_shapes.py", "symbolic_shapes")):
            events = list(text_dynamic.read_dynamic(record.lines, 0, told.compile_id))
            if events:
                self._story.symbols(told, events)
                return
        if prefix and prefix.artifact == "guards":
            self._guards(record, told)
            return
        if prefix and (frame := text_dynamic.read_start(record.lines[0])):
            self._story.starts.append((told, frame))
            return
        if record.artifact == "cudagraphs" and (
            run := read_run(record.lines, compile_id=told.compile_id)
        ):
            self._run(told, run)
            return
        message = read_message(record.lines, record.artifact, prefix.level if prefix else "W")
        if message is not None:
            self._story.message(told, message)

    def _run(self, told: Told, run: CudaGraphed) -> None:
        set_up = self._set_up.pop(told.owner, None)
        if set_up is not None:
            compile_id = run.compile_id if run.what in ("warmed_up", "recorded") else ""
            self._story.run(set_up[0], replace(set_up[1], compile_id=compile_id))
        if run.what == "set_up" and not run.compile_id:
            self._set_up[told.owner] = (told, run)  # torch 2.11 names the graph a record later
            return
        moved = self._moved.pop(told.owner, None)
        if run.what == "rerecorded":
            self._moved[told.owner] = (told, run)
            return
        if moved is not None and is_again(moved[1], run):
            self._story.run(*moved)
        self._story.run(told, run)

    def _guards(self, record: Record, told: Told) -> None:
        key = (told.owner, told.compile_id)
        if latency := text_dynamic.LATENCY.search(record.text):
            self._story.latencies[key] = float(latency["us"]) / 1e6
        elif "GuardManager" in record.text:
            self._story.guards[key] = leaf_guards(record.text.encode())

    def _time(self, record: Record) -> float | None:
        prefix = record.prefix
        if prefix is None or not prefix.when:
            return None
        if prefix.form == "glog":
            return self._clock.seconds(prefix.when.encode())
        try:
            day = time.strptime(prefix.when[:19], "%Y-%m-%d %H:%M:%S")
            return time.mktime(day) + float(f"0.{prefix.when[20:] or 0}") - self._clock.offset
        except (ValueError, OverflowError):
            return None


def lines_of(read: Callable[[int], bytes]) -> Iterator[bytes | str]:
    """The lines that `read` gives, also of UTF-16, which PowerShell writes.

    Raises:
        Damaged: the compressed data ends early.
    """
    chunk = read(_CHUNK)
    decoder = _utf16(chunk)
    if decoder is not None:
        yield from _split(iter(lambda: decoder.decode(read(_CHUNK)), ""), decoder.decode(chunk))
        return
    rest = b""
    while chunk:
        lines = (rest + chunk).split(b"\n")
        rest = lines.pop()
        if len(rest) > _LONGEST_LINE:
            lines.append(rest)
            rest = b""
        yield from lines
        chunk = read(_CHUNK)
    if rest:
        yield rest


def _utf16(head: bytes) -> codecs.IncrementalDecoder | None:
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return codecs.getincrementaldecoder("utf-16")("replace")
    return None


def _split(chunks: Iterator[str], rest: str) -> Iterator[str]:
    for chunk in chunks:
        lines = (rest + chunk).split("\n")
        rest = lines.pop()
        yield from lines
    yield from rest.split("\n")
