"""The front door for logs: whatever the paths hold, as one session."""

from __future__ import annotations

import io
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import BinaryIO

from compilescope import store
from compilescope.errors import InputError
from compilescope.logs import merge, tlparse
from compilescope.logs.log import Log
from compilescope.logs.sniff import Form, form_of, logs_in
from compilescope.logs.structured import read_trace
from compilescope.logs.text import TextReader
from compilescope.logs.trace_files import opened
from compilescope.model import Event, Gap, Session

_HINT = "TORCH_LOGS=recompiles,graph_breaks prints one; TORCH_TRACE=folder records a fuller one"


@dataclass
class _Found:
    """What the paths hold."""

    traces: list[Path] = field(default_factory=list)
    reports: list[Path] = field(default_factory=list)  # of tlparse
    texts: list[Path] = field(default_factory=list)
    sessions: list[Path] = field(default_factory=list)
    folders: list[Path] = field(default_factory=list)  # a probe's raw records


def read(paths: Sequence[Path], *, stdin: BinaryIO | None = None) -> Session:
    """The session that the logs in `paths`, or coming in on `stdin`, tell of.

    A path may be a structured trace, a text log, a folder of them, a probe's raw folder, a
    session, or a tlparse report; files may be compressed. Trace and text of one run are merged.

    Raises:
        InputError: a path is missing, unreadable, or nothing that compilescope knows.
        UsageError: nothing was named.
    """
    found = _find(paths)
    alone = found.sessions + found.folders
    if alone:
        if len(alone) > 1 or len(paths) > 1 or stdin is not None:
            raise InputError(
                f"{alone[0]} cannot be read together with others",
                cause="it is a whole session",
                hint="`compilescope compare` sets two sessions side by side",
            )
        return _whole(found)
    trace = _traces(found)
    texts = _texts(found.texts, stdin, alone=trace is None)
    log = texts if trace is None else merge.merge(trace, texts)
    return _session(paths, log, traced=trace is not None)


def _find(paths: Sequence[Path]) -> _Found:
    found = _Found()
    places = {
        Form.TRACE: found.traces,
        Form.TLPARSE: found.reports,
        Form.TEXT: found.texts,
        Form.SESSION: found.sessions,
        Form.RAW: found.folders,
    }
    for path in paths:
        if path.is_dir() and form_of(path) is not Form.RAW:
            for inside, form in logs_in(path):
                places[form].append(inside)
        else:
            places[form_of(path)].append(path)
    return found


def _whole(found: _Found) -> Session:
    if found.sessions:
        return store.load(found.sessions[0])
    from compilescope.probe.session import from_raw

    return from_raw(found.folders[0])


def _traces(found: _Found) -> Log | None:
    if found.traces:
        return read_trace(found.traces)
    if not found.reports:
        return None
    with tempfile.TemporaryDirectory(prefix="compilescope-") as folder:
        copies = []
        for number, path in enumerate(found.reports):
            copy = Path(folder, f"{number}.log")
            with copy.open("wb") as file:
                file.writelines(tlparse.trace_lines(path))
            copies.append(copy)
        return read_trace(copies)


def _texts(paths: list[Path], stdin: BinaryIO | None, *, alone: bool) -> Log:
    """All text logs as one; one without a line of PyTorch's is an error if there is no other."""
    readers = []
    for path in paths:
        reader = TextReader(str(path), path.stat().st_mtime)
        with opened(path) as read_:
            reader.feed_from(read_)
        readers.append(reader)
    if stdin is not None:
        reader = TextReader("standard input", time.time())
        reader.feed_from(_reading(stdin))
        readers.append(reader)
    told = [reader for reader in readers if reader.records]
    if alone and not told:
        raise _nothing(readers)
    log = merge.join([reader.finish() for reader in told])
    log.gaps += [
        Gap("file left out", detail=f"{reader.name} has no line of PyTorch's logs")
        for reader in readers
        if not reader.records
    ]
    return log


def _reading(stdin: BinaryIO) -> Callable[[int], bytes]:
    """Reads what has come so far, so that a pipe is followed while it is written."""
    if isinstance(stdin, io.BufferedReader):
        return stdin.read1
    return stdin.read


def _nothing(readers: list[TextReader]) -> InputError:
    if not readers:
        return InputError("no log was named", hint=_HINT)
    reader = readers[0]
    if not reader.assembler.total:
        return InputError(
            f"{reader.name} is empty",
            cause="nothing was compiled again and nothing broke, or TORCH_LOGS was not set",
            hint=_HINT,
        )
    lines = sum(reader.assembler.total for reader in readers)
    return InputError(
        f"{reader.name} is not a log of PyTorch's",
        cause=f"none of {lines:,} lines has the form of one",
        hint=_HINT,
    )


def _session(paths: Sequence[Path], log: Log, *, traced: bool) -> Session:
    from compilescope.probe import source_lines

    events = tuple(log.events)
    return Session(
        source="trace" if traced else "logs",
        name=", ".join(path.name or str(path) for path in paths) or "standard input",
        created=_created(events, paths),
        environment=log.environment,
        processes=tuple(log.processes),
        events=events,
        sources=source_lines.around(events, (), Path.cwd()),
        gaps=tuple(log.gaps),
    )


def _created(events: tuple[Event, ...], paths: Sequence[Path]) -> str:
    times = [at for event in events if (at := getattr(event, "at", None)) is not None]
    if times:
        began = min(times)
    else:
        began = min((path.stat().st_mtime for path in paths), default=time.time())
    try:
        return datetime.fromtimestamp(began, timezone.utc).isoformat(timespec="seconds")
    except (ValueError, OverflowError, OSError):
        return ""
