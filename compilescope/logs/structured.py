"""Structured traces (TORCH_TRACE) to events."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from compilescope.logs import trace_files
from compilescope.logs.clock import Clock
from compilescope.logs.log import Log
from compilescope.logs.trace_events import Known
from compilescope.logs.trace_reader import Count, TraceReader
from compilescope.model import Environment, Gap, Process

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from compilescope.logs.trace_reader import Track

_RELEASE = re.compile(r"(\d{1,4})\.(\d{1,4})")


@dataclass
class _Told:
    """What one file told of one process."""

    track: Track
    reader: TraceReader
    group: int = field(default=0)


def read_trace(paths: Sequence[Path]) -> Log:
    """The events of the trace files in `paths`, or in the folders there.

    Files may be plain or compressed with gzip, xz, zstd or bzip2. Files of one process are read
    as one; damaged and unknown records are counted in `gaps`.

    Raises:
        InputError: nothing there, unreadable, or not a structured trace.
    """
    log = Log()
    found = trace_files.find(paths, log.gaps)
    readers = [_read_file(path, log.gaps) for path in trace_files.without_copies(found, log.gaps)]
    return log_of(readers, log)


def log_of(readers: list[TraceReader], log: Log | None = None) -> Log:
    """What the readers of some files have taken in so far, added to `log`."""
    log = log if log is not None else Log()
    told = [_Told(track, reader) for reader in readers for track in reader.tracks.values()]
    log.processes = _processes(told)
    log.environment = _environment(readers)
    _fill(log, told)
    log.gaps.extend(_gaps(readers))
    return log


def is_trace(path: Path) -> bool:
    """Whether the file holds a structured trace, judged by its beginning."""
    return trace_files.is_trace(path)


def _read_file(path: Path, gaps: list[Gap]) -> TraceReader:
    reader = TraceReader(Clock(path.stat().st_mtime), trace_files.rank_of(path))
    with trace_files.opened(path) as read:
        try:
            reader.read(read)
        except trace_files.Damaged as damage:
            if not reader.count.kinds:
                raise trace_files.not_a_trace(path, damage) from damage
            gaps.append(Gap("file cut short", detail=f"{path}: {damage}"))
    if not reader.count.kinds:
        raise trace_files.not_a_trace(path)
    return reader


def _processes(told: list[_Told]) -> list[Process]:
    """The processes; `group` of each part becomes its index.

    Two parts with one pid are one process, unless their ranks differ or both began the same
    compile: then the pid was given out twice.
    """
    groups: list[list[_Told]] = []
    for part in told:
        for number, group in enumerate(groups):
            if all(_same_process(part.track, other.track) for other in group):
                part.group = number
                group.append(part)
                break
        else:
            part.group = len(groups)
            groups.append([part])
    return [_process(group) for group in groups]


def _same_process(one: Track, other: Track) -> bool:
    if one.pid != other.pid:
        return False
    if one.rank is not None and other.rank is not None and one.rank != other.rank:
        return False
    return not any(
        compile_.started and compile_id in other.compiles and other.compiles[compile_id].started
        for compile_id, compile_ in one.compiles.items()
    )


def _process(group: list[_Told]) -> Process:
    ranks = [part.track.rank for part in group if part.track.rank is not None]
    starts = [
        part.track.first + part.reader.clock.offset
        for part in group
        if part.track.first is not None
    ]
    return Process(
        pid=group[0].track.pid,
        rank=ranks[0] if ranks else None,
        started=round(min(starts), 6) if starts else None,
    )


def _fill(log: Log, told: list[_Told]) -> None:
    release = _RELEASE.match(log.environment.torch)
    torch = (int(release[1]), int(release[2])) if release else None
    for part in told:
        known = Known(part.group, part.reader.clock.offset, part.reader.paths, torch)
        for entry in part.track.entries:
            log.events.extend(entry.events(known))


def _environment(readers: list[TraceReader]) -> Environment:
    versions: dict[str, str] = {}
    config: dict[str, str] = {}
    for reader in readers:
        for name, value in reader.versions.items():
            versions.setdefault(name, value)
        config = config or reader.config
    return Environment(
        torch=versions.get("pytorch_version", ""),
        python=versions.get("python_version", "").partition(" ")[0],
        cuda=versions.get("cuda_version", ""),
        triton=versions.get("triton_version", ""),
        config=config,
    )


def _gaps(readers: list[TraceReader]) -> list[Gap]:
    total = Count()
    unknown: Counter[str] = Counter()
    for reader in readers:
        count = reader.count
        total.kinds.update(count.kinds)
        total.stray += count.stray
        total.unreadable += count.unreadable
        total.payloads += count.payloads
        total.damaged += count.damaged
        total.unresolved += count.unresolved
        unknown.update(reader.unknown_kinds)
    everything = total.kinds.total()
    found = [
        Gap(f"records of the unknown kind `{kind}`", number, _share(number, everything))
        for kind, number in unknown.most_common()
    ]
    for what, number, whole in (
        ("records that cannot be read", total.unreadable, everything),
        ("lines that belong to no record", total.stray, everything + total.stray),
        ("payloads that are cut or altered", total.damaged, total.payloads),
        ("stack frames whose file is not in the log", total.unresolved, 0),
    ):
        if number:
            found.append(Gap(what, number, _share(number, whole)))
    return found


def _share(number: int, whole: int) -> float | None:
    return round(number / whole, 4) if whole else None
