"""The records of one trace file, gathered by process and compile."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec

from compilescope.logs import trace_headers as headers
from compilescope.logs import trace_metrics
from compilescope.logs.clock import Clock
from compilescope.logs.cpp_guards import latency, leaf_guards
from compilescope.logs.records import Record, records
from compilescope.logs.stacks import is_library, own_frame
from compilescope.logs.trace_compiles import Compile
from compilescope.logs.trace_events import (
    Backward,
    Broken,
    Compiling,
    Entry,
    Ready,
    Rejected,
    Warning_,
    reasons_of_error,
    split_reasons,
)
from compilescope.logs.trace_kinds import CACHE_ARTIFACTS, IGNORED
from compilescope.model import Frame, Guarded, Specialized, Symbol

_TIMESTAMP = re.compile(rb'"ts": *(\d+(?:\.\d+)?)')
_ARTIFACT = re.compile(rb'\{ *"artifact": *\{ *"name": *"([^"]*)"')
_TORCH = re.compile(
    r"(?:site|dist)-packages[/\\]torch[/\\]|[/\\]torch[/\\](?:_dynamo|nn[/\\]modules)[/\\]"
)
_WARNING_ARTIFACTS = {
    b"eager_compile_backwards_failure": "backward",
    b"dynamo_cache_bypass": "cache",
    b"dynamo_cache_exception": "cache",
    b"precompile_cache_bypass": "cache",
}


@dataclass
class Track:
    """One process's part of a file."""

    pid: int
    rank: int | None
    first: float | None = None
    compiles: dict[str, Compile] = field(default_factory=dict)
    frames: dict[tuple[int | None, int | None], Frame] = field(default_factory=dict)
    entries: list[Entry] = field(default_factory=list)
    warnings: dict[tuple[str, str], Warning_] = field(default_factory=dict)


@dataclass
class Count:
    """What was read, and what could not be."""

    kinds: Counter[bytes] = field(default_factory=Counter)
    stray: int = 0
    unreadable: int = 0
    payloads: int = 0
    damaged: int = 0
    unresolved: int = 0


class TraceReader:
    """Reads one file; `tracks`, `count`, `clock` and `versions` are the result."""

    def __init__(self, clock: Clock, rank: int | None) -> None:
        self.clock = clock
        self.rank = rank
        self.tracks: dict[int, Track] = {}
        self.count = Count()
        self.strings: dict[int, str] = {}
        self.versions: dict[str, str] = {}
        self.config: dict[str, str] = {}

    def read(self, read: Callable[[int], bytes]) -> None:
        """Take in all records."""
        for record in records(read, self):
            try:
                if record.kind == b"artifact":
                    self._artifact(record)
                else:
                    _HANDLERS[record.kind](self, record)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                self.count.unreadable += 1

    def wanted(self, kind: bytes, json: bytes) -> bool:
        """Whether a record is of use; chromium events are until one has told the time."""
        if kind == b"chromium_event":
            return not self.clock.anchored
        if kind == b"artifact":
            name = _ARTIFACT.match(json)
            return name is None or name[1] in _ARTIFACTS or name[1] in _WARNING_ARTIFACTS
        return kind in _HANDLERS

    def seen(self, kind: bytes) -> None:
        """Count a record."""
        self.count.kinds[kind] += 1

    def stray(self) -> None:
        """Count a line that belongs to no record."""
        self.count.stray += 1

    @property
    def unknown_kinds(self) -> dict[str, int]:
        """Kinds that this release does not know, with their number."""
        known = _HANDLERS.keys() | IGNORED | {b"artifact"}
        return {
            kind.decode(errors="replace"): number
            for kind, number in self.count.kinds.items()
            if kind not in known
        }

    # Each handler below takes one kind of record.

    def _string(self, record: Record) -> None:
        text, number = _decode(record, headers.StringHeader).interned
        self.strings[number] = text

    def _chromium(self, record: Record) -> None:
        stamp = _TIMESTAMP.search(record.payload)
        if stamp:
            self.clock.anchor(record.when, float(stamp[1]) / 1e6)

    def _start(self, record: Record) -> None:
        header = _decode(record, headers.StartHeader)
        track = self._track(record, header)
        compile_id = header.compile_id
        earlier = track.compiles.get(compile_id)
        if earlier is not None and earlier.metrics is not None and not header.attempt:
            del track.compiles[compile_id]  # ids repeat where each region counts its own frames
        compile_ = self._compile(record, track, header)
        if not compile_.started:
            compile_.started = True
            compile_.at = self.clock.seconds(record.when)
            track.entries.append(Compiling(compile_))
        stack = self._frames(header.dynamo_start.stack)
        if stack and compile_.attempt == (header.attempt or 0):
            compile_.frame = stack[-1]
            compile_.stack = tuple(frame for frame in stack[:-1] if not _TORCH.search(frame.path))
            track.frames[header.compiled_autograd_id, header.frame_id] = stack[-1]

    def _tensor(self, record: Record) -> None:
        header = _decode(record, headers.TensorHeader)
        if header.describe_tensor is not None and header.compile_id:
            compile_ = self._compile(record, self._track(record, header), header)
            compile_.describe(header.describe_tensor)

    def _source(self, record: Record) -> None:
        header = _decode(record, headers.SourceHeader)
        source = header.describe_source
        if source is not None and header.compile_id:
            compile_ = self._compile(record, self._track(record, header), header)
            compile_.name(source.source, source.describer_id, source.id)

    def _guards(self, record: Record) -> None:
        header = _decode(record, headers.Context)
        self._check(record, header)
        compile_ = self._compile(record, self._track(record, header), header)
        compile_.guards = leaf_guards(record.payload)
        compile_.guard_latency = latency(record.payload)

    def _graph(self, record: Record) -> None:
        header = _decode(record, headers.Context)
        self._compile(record, self._track(record, header), header).graph = True

    def _metrics(self, record: Record) -> None:
        header = _decode(record, headers.MetricsHeader)
        metrics = header.metrics
        if metrics is None:
            return
        track = self._track(record, header)
        self._learn(record, metrics)
        compile_ = self._compile(record, track, header)
        if header.compilation_metrics is not None:
            self._settle(record, track, header, compile_, metrics)
        elif header.compilation_metrics_runtime or header.bwd_compilation_metrics_runtime:
            compile_.run(trace_metrics.runtime_phases(metrics))
        else:
            seconds = trace_metrics.backward_seconds(metrics)
            if compile_.backward is None:
                track.entries.append(Backward(compile_, self.clock.seconds(record.when)))
            compile_.backward = (compile_.backward or 0.0) + (seconds or 0.0)

    def _settle(
        self,
        record: Record,
        track: Track,
        header: headers.Context,
        compile_: Compile,
        metrics: headers.Metrics,
    ) -> None:
        at = self.clock.seconds(record.when)
        compile_.settle(metrics)
        key = header.compiled_autograd_id, header.frame_id
        if compile_.frame is None:
            compile_.frame = track.frames.get(key)
        elif key not in track.frames:
            track.frames[key] = compile_.frame
        if not compile_.reasons:
            self._reasons_of_metrics(track, compile_, metrics, at)
        if not compile_.started:
            compile_.at = at
            track.entries.append(Compiling(compile_))
        if metrics.cudagraph_skip_reason:
            self._warn(
                track, "cudagraph_skip", metrics.cudagraph_skip_reason, compile_.compile_id, at
            )

    def _reasons_of_metrics(
        self, track: Track, compile_: Compile, metrics: headers.Metrics, at: float | None
    ) -> None:
        """Where the artifact is missing, the metrics still have one reason."""
        if metrics.recompile_reason:
            compile_.reasons = (metrics.recompile_reason,)
        elif trace_metrics.failure_kind(metrics) == "RecompileError":
            compile_.reasons = reasons_of_error(metrics.fail_reason or "")
        if compile_.reasons:
            track.entries.append(Rejected(compile_, at))

    def _symbol(self, record: Record) -> None:
        header = _decode(record, headers.SymbolHeader)
        if header.create_symbol is not None:
            self._new_symbol(record, header, header.create_symbol, backed=True)

    def _unbacked(self, record: Record) -> None:
        header = _decode(record, headers.UnbackedHeader)
        if header.create_unbacked_symbol is not None:
            self._new_symbol(record, header, header.create_unbacked_symbol, backed=False)

    def _new_symbol(
        self, record: Record, header: headers.Context, new: headers.NewSymbol, *, backed: bool
    ) -> None:
        track = self._track(record, header)
        if self._is_new(record, track, header, "symbol", new.symbol, new.source or ""):
            event = Symbol(
                process=0,
                compile_id=header.compile_id,
                name=new.symbol,
                source=new.source or "",
                value="" if new.val is None else str(new.val),
                range=new.vr or "",
                backed=backed,
                frame=own_frame(self._frames(new.user_stack)),
            )
            track.entries.append(Ready(event))

    def _specialization(self, record: Record) -> None:
        header = _decode(record, headers.SpecializationHeader)
        found = header.symbolic_shape_specialization
        if found is None:
            return
        track = self._track(record, header)
        symbol, value = found.symbol or "", "" if found.value is None else str(found.value)
        if self._is_new(record, track, header, "specialization", symbol, value):
            event = Specialized(
                process=0,
                compile_id=header.compile_id,
                symbol=symbol,
                sources=tuple(found.sources or ()),
                value=value,
                reason=found.reason or "",
                frame=own_frame(self._frames(found.user_stack)),
            )
            track.entries.append(Ready(event))

    def _guard(self, record: Record) -> None:
        header = _decode(record, headers.GuardHeader)
        found = header.guard_added_fast
        if found is None:
            return
        track = self._track(record, header)
        if self._is_new(record, track, header, "guard", found.expr):
            frame = own_frame(self._frames(found.user_stack))
            track.entries.append(Ready(Guarded(0, header.compile_id, found.expr, frame)))

    def _real_tensors(self, record: Record) -> None:
        header = _decode(record, headers.RealTensorsHeader)
        found = header.propagate_real_tensors
        if found is not None:
            text = f"{found.expr} -> {found.result}"
            self._warn_at(record, header, "propagate_real_tensors", text, found.user_stack)

    def _missing_kernel(self, record: Record) -> None:
        header = _decode(record, headers.MissingKernelHeader)
        if header.missing_fake_kernel is not None:
            self._warn_at(record, header, "missing_fake_kernel", header.missing_fake_kernel.op)

    def _mismatched_kernel(self, record: Record) -> None:
        header = _decode(record, headers.MismatchedKernelHeader)
        found = header.mismatched_fake_kernel
        if found is not None:
            text = f"{found.op}: {found.reason}" if found.reason else found.op
            self._warn_at(record, header, "mismatched_fake_kernel", text)

    def _artifact(self, record: Record) -> None:
        header = _decode(record, headers.ArtifactHeader)
        name = header.artifact.name.encode()
        if name in _WARNING_ARTIFACTS:
            self._check(record, header)
            self._warn_at(record, header, _WARNING_ARTIFACTS[name], _text(record.payload))
        elif name in _ARTIFACTS:
            if name not in CACHE_ARTIFACTS:
                self._check(record, header)
            _ARTIFACTS[name](self, record, header)

    def _reasons(self, record: Record, header: headers.ArtifactHeader) -> None:
        track = self._track(record, header)
        compile_ = self._compile(record, track, header)
        if compile_.metrics is not None and compile_.started:
            del track.compiles[header.compile_id]
            compile_ = self._compile(record, track, header)
        compile_.reasons = split_reasons(_text(record.payload))
        if compile_.frame is None:
            compile_.frame = track.frames.get((header.compiled_autograd_id, header.frame_id))
        track.entries.append(Rejected(compile_, self.clock.seconds(record.when)))

    def _break(self, record: Record, header: headers.ArtifactHeader) -> None:
        track = self._track(record, header)
        self._compile(record, track, header).broke = True
        at = self.clock.seconds(record.when)
        track.entries.append(Broken(header.compile_id, _text(record.payload), at))

    def _error(self, record: Record, header: headers.ArtifactHeader) -> None:
        self._compile(record, self._track(record, header), header).error = _text(record.payload)

    def _version(self, record: Record, _header: headers.ArtifactHeader) -> None:
        found = re.search(rb'"?(\d+\.\d+[^"\s]*)"?', record.payload)
        if found:
            self.versions.setdefault("pytorch_version", found[1].decode(errors="replace"))

    def _cache(self, record: Record, header: headers.ArtifactHeader) -> None:
        cache, _, result = header.artifact.name.rpartition("_")
        compile_ = self._compile(record, self._track(record, header), header)
        compile_.caches[cache.removesuffix("_cache")] = result

    # What the handlers share.

    def _track(self, record: Record, header: headers.Context) -> Track:
        track = self.tracks.get(record.pid)
        if track is None:
            track = self.tracks[record.pid] = Track(record.pid, self.rank)
            track.first = self.clock.seconds(record.when)
        if track.rank is None and header.rank is not None:
            track.rank = header.rank
        return track

    def _compile(self, _record: Record, track: Track, header: headers.Context) -> Compile:
        compile_id = header.compile_id
        compile_ = track.compiles.get(compile_id)
        if compile_ is None:
            compile_ = track.compiles[compile_id] = Compile(compile_id)
        compile_.begin(header.attempt or 0)
        return compile_

    def _frames(self, stack: list[headers.StackFrame] | None) -> tuple[Frame, ...]:
        return tuple(
            Frame(self._path(item.filename), item.line or 0, item.name, (item.loc or "").strip())
            for item in stack or ()
        )

    def _path(self, filename: int | str | None) -> str:
        if isinstance(filename, str):
            return filename
        if filename is None or filename < 0:
            return ""
        path = self.strings.get(filename)
        if path is None:  # a forked child goes on with its parent's numbers
            self.count.unresolved += 1
            return ""
        return path

    def _is_new(self, record: Record, track: Track, header: headers.Context, *what: str) -> bool:
        seen = self._compile(record, track, header).seen
        if what in seen:
            return False
        seen.add(what)
        return True

    def _warn_at(
        self,
        record: Record,
        header: headers.Context,
        kind: str,
        text: str,
        stack: list[headers.StackFrame] | None = None,
    ) -> None:
        track = self._track(record, header)
        frame = own_frame(self._frames(stack))
        at = self.clock.seconds(record.when)
        self._warn(track, kind, text.strip(), header.compile_id, at, frame)

    def _warn(
        self,
        track: Track,
        kind: str,
        text: str,
        compile_id: str,
        at: float | None,
        frame: Frame | None = None,
    ) -> None:
        earlier = track.warnings.get((kind, text))
        if earlier is not None:
            earlier.times += 1
            return
        warning = Warning_(kind, text, compile_id, at, frame)
        track.warnings[kind, text] = warning
        track.entries.append(warning)

    def _learn(self, record: Record, metrics: headers.Metrics) -> None:
        """Versions and configuration, from the first metrics that have them."""
        for name in ("pytorch_version", "python_version", "cuda_version", "triton_version"):
            value = getattr(metrics, name)
            if value:
                self.versions.setdefault(name, value)
        if not self.config:
            self.config = trace_metrics.config(metrics)
        if not self.clock.anchored and metrics.start_time:
            length = trace_metrics.total_seconds(metrics) or 0.0
            self.clock.anchor(record.when, metrics.start_time + length)

    def _check(self, record: Record, header: headers.Context) -> None:
        """Compare the payload with its checksum, where it has one."""
        if header.has_payload is None:
            return
        self.count.payloads += 1
        if record.cut or not _intact(record.payload, header.has_payload):
            self.count.damaged += 1

    @property
    def paths(self) -> tuple[str, ...]:
        """The user's files that the log names."""
        return tuple(path for path in self.strings.values() if not is_library(path))


def _intact(payload: bytes, checksum: str) -> bool:
    if len(checksum) != 32:
        return True  # not an MD5: nothing to compare
    for form in (payload, payload.replace(b"\r\n", b"\n").removesuffix(b"\r")):
        if hashlib.md5(form, usedforsecurity=False).hexdigest() == checksum:
            return True
    return False


def _text(payload: bytes) -> str:
    return payload.replace(b"\r\n", b"\n").decode(errors="replace").replace("\0", "")


_DECODERS: dict[type, msgspec.json.Decoder[Any]] = {}


def _decode(record: Record, type_: type) -> Any:
    decoder = _DECODERS.get(type_)
    if decoder is None:
        decoder = _DECODERS[type_] = msgspec.json.Decoder(type_)
    return decoder.decode(record.json)


_Handler = Callable[[TraceReader, Record], None]
_HANDLERS: dict[bytes, _Handler] = {
    b"str": TraceReader._string,
    b"chromium_event": TraceReader._chromium,
    b"dynamo_start": TraceReader._start,
    b"describe_tensor": TraceReader._tensor,
    b"describe_source": TraceReader._source,
    b"dynamo_cpp_guards_str": TraceReader._guards,
    b"dynamo_output_graph": TraceReader._graph,
    b"compilation_metrics": TraceReader._metrics,
    b"bwd_compilation_metrics": TraceReader._metrics,
    b"aot_autograd_backward_compilation_metrics": TraceReader._metrics,
    b"compilation_metrics_runtime": TraceReader._metrics,
    b"bwd_compilation_metrics_runtime": TraceReader._metrics,
    b"create_symbol": TraceReader._symbol,
    b"create_unbacked_symbol": TraceReader._unbacked,
    b"symbolic_shape_specialization": TraceReader._specialization,
    b"guard_added_fast": TraceReader._guard,
    b"propagate_real_tensors": TraceReader._real_tensors,
    b"missing_fake_kernel": TraceReader._missing_kernel,
    b"mismatched_fake_kernel": TraceReader._mismatched_kernel,
}
_ARTIFACTS: dict[bytes, Callable[[TraceReader, Record, headers.ArtifactHeader], None]] = {
    b"recompile_reasons": TraceReader._reasons,
    b"dynamo_graph_break_reason": TraceReader._break,
    b"dynamo_error": TraceReader._error,
    b"torch_version": TraceReader._version,
    **dict.fromkeys(CACHE_ARTIFACTS, TraceReader._cache),
}
