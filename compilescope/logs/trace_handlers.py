"""What each kind of record about compiles means. A handler takes one record."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from compilescope.logs import trace_metrics
from compilescope.logs.cpp_guards import latency, leaf_guards
from compilescope.logs.text_warnings import read_message
from compilescope.logs.trace_events import (
    Backward,
    Broken,
    Compiling,
    Rejected,
    reasons_of_error,
    split_reasons,
)
from compilescope.logs.trace_kinds import CACHE_ARTIFACTS

if TYPE_CHECKING:
    from collections.abc import Callable

    from compilescope.logs.records import Record
    from compilescope.logs.trace_headers import Metrics
    from compilescope.logs.trace_reader import TraceReader

_TIMESTAMP = re.compile(rb'"ts": *(\d{1,20}(?:\.\d+)?)')
_VERSION = re.compile(r'"?(\d+\.\d+[^"\s]*)')
_TORCH = re.compile(
    r"(?:site|dist)-packages[/\\]torch[/\\]|[/\\]torch[/\\](?:_dynamo|nn[/\\]modules)[/\\]"
)


def interned(reader: TraceReader, record: Record) -> None:
    """A file name and the number that stands for it."""
    pair = reader.header(record).interned
    if pair is not None:
        reader.strings[pair[1]] = pair[0]


def chromium_event(reader: TraceReader, record: Record) -> None:
    """The first of them tells the year and the time zone."""
    stamp = _TIMESTAMP.search(record.payload)
    if stamp:
        reader.clock.anchor(record.when, float(stamp[1]) / 1e6)


def start(reader: TraceReader, record: Record) -> None:
    """Tracing begins; only the first attempt is logged."""
    header = reader.header(record)
    track = reader.track(record, header)
    earlier = track.compiles.get(header.compile_id)
    if earlier is not None and earlier.metrics is not None and not header.attempt:
        # Ids repeat where each isolated region numbers its own frames.
        del track.compiles[header.compile_id]
    compile_ = reader.compile(record, header)
    if not compile_.started:
        compile_.started = True
        compile_.at = reader.time(record)
        track.entries.append(Compiling(compile_))
    stack = reader.stack(header.dynamo_start.stack if header.dynamo_start else None)
    if stack:
        compile_.frame = stack[-1]
        compile_.stack = tuple(frame for frame in stack[:-1] if not _TORCH.search(frame.path))
        track.frames[header.compiled_autograd_id, header.frame_id] = stack[-1]


def describe_tensor(reader: TraceReader, record: Record) -> None:
    """The metadata of a tensor that tracing met."""
    header = reader.header(record)
    if header.describe_tensor is not None and header.compile_id:
        reader.compile(record, header).describe(header.describe_tensor)


def describe_source(reader: TraceReader, record: Record) -> None:
    """Where a described tensor comes from."""
    header = reader.header(record)
    source = header.describe_source
    if source is not None and header.compile_id:
        reader.compile(record, header).name(source.source, source.describer_id, source.id)


def guards(reader: TraceReader, record: Record) -> None:
    """The guard tree of the finished compile."""
    header = reader.header(record)
    reader.check(record, header)
    compile_ = reader.compile(record, header)
    compile_.guards = leaf_guards(record.payload)
    compile_.guard_latency = latency(record.payload)


def output_graph(reader: TraceReader, record: Record) -> None:
    """A graph goes to the backend."""
    reader.compile(record, reader.header(record)).graph = True


def compilation_metrics(reader: TraceReader, record: Record) -> None:
    """The forward compile, or the attempt to start one, has ended."""
    header = reader.header(record)
    metrics = header.metrics
    if metrics is None:
        return
    _learn(reader, record, metrics)
    compile_ = reader.compile(record, header)
    track = reader.track(record, header)
    at = reader.time(record)
    compile_.settle(metrics)
    key = header.compiled_autograd_id, header.frame_id
    compile_.frame = compile_.frame or track.frames.get(key)
    if compile_.frame is not None:
        track.frames.setdefault(key, compile_.frame)
    if not compile_.reasons:
        compile_.reasons = _reasons_of(metrics)
        if compile_.reasons:
            track.entries.append(Rejected(compile_, at))
    if not compile_.started:
        compile_.at = at
        track.entries.append(Compiling(compile_))
    if metrics.cudagraph_skip_reason:
        skip = read_message(metrics.cudagraph_skip_reason.split("\n"), "cudagraphs", "W")
        if skip is not None:
            reader.message(record, header, "cudagraph_skip", skip.text, frame=skip.frame)


def backward_metrics(reader: TraceReader, record: Record) -> None:
    """A backward graph was compiled, at a backward call."""
    header = reader.header(record)
    if header.metrics is None:
        return
    _learn(reader, record, header.metrics)
    compile_ = reader.compile(record, header)
    if compile_.backward is None:
        entry = Backward(compile_, reader.time(record))
        reader.track(record, header).entries.append(entry)
    seconds = trace_metrics.backward_seconds(header.metrics) or 0.0
    compile_.backward = round((compile_.backward or 0.0) + seconds, 6)


def runtime_metrics(reader: TraceReader, record: Record) -> None:
    """A compiled graph got ready at a first run: autotuning, CUDA graphs."""
    header = reader.header(record)
    if header.metrics is not None:
        _learn(reader, record, header.metrics)
        reader.compile(record, header).run(trace_metrics.runtime_phases(header.metrics))


def recompile_reasons(reader: TraceReader, record: Record) -> None:
    """No cached graph served a call; a compile follows unless a limit refuses it."""
    header = reader.header(record)
    track = reader.track(record, header)
    earlier = track.compiles.get(header.compile_id)
    if earlier is not None and earlier.metrics is not None:
        del track.compiles[header.compile_id]  # as in `start`
    compile_ = reader.compile(record, header)
    compile_.reasons = split_reasons(reader.text(record, header))
    if compile_.frame is None:
        key = header.compiled_autograd_id, header.frame_id
        compile_.frame = track.frames.get(key)
    track.entries.append(Rejected(compile_, reader.time(record)))


def graph_break(reader: TraceReader, record: Record) -> None:
    """The text of a graph break."""
    header = reader.header(record)
    reader.compile(record, header).broke = True
    entry = Broken(header.compile_id, reader.text(record, header), reader.time(record))
    reader.track(record, header).entries.append(entry)


def error(reader: TraceReader, record: Record) -> None:
    """The traceback of what ended the compile."""
    header = reader.header(record)
    reader.compile(record, header).error = reader.text(record, header)


def torch_version(reader: TraceReader, record: Record) -> None:
    """The version of torch."""
    found = _VERSION.search(reader.text(record, reader.header(record)))
    if found:
        reader.versions.setdefault("pytorch_version", found[1])


def cache_result(reader: TraceReader, record: Record) -> None:
    """`fx_graph_cache_miss` and its like; the name says all."""
    header = reader.header(record)
    if header.artifact is not None:
        cache, _, result = header.artifact.name.rpartition("_")
        reader.compile(record, header).caches[cache.removesuffix("_cache")] = result


def _reasons_of(metrics: Metrics) -> tuple[str, ...]:
    """Where the artifact is missing, the metrics still have a reason."""
    if metrics.recompile_reason:
        return (metrics.recompile_reason,)
    if trace_metrics.failure_kind(metrics) == "RecompileError":
        return reasons_of_error(metrics.fail_reason or "")
    return ()


def _learn(reader: TraceReader, record: Record, metrics: Metrics) -> None:
    """Versions and configuration, from the first metrics that have them; the time, if need be."""
    for name in ("pytorch_version", "python_version", "cuda_version", "triton_version"):
        value = getattr(metrics, name)
        if value:
            reader.versions.setdefault(name, value)
    if not reader.config:
        reader.config = trace_metrics.config(metrics)
    if not reader.clock.anchored and metrics.start_time:
        length = trace_metrics.total_seconds(metrics) or 0.0
        reader.clock.anchor(record.when, metrics.start_time + length)


KINDS: dict[bytes, Callable[[TraceReader, Record], None]] = {
    b"str": interned,
    b"chromium_event": chromium_event,
    b"dynamo_start": start,
    b"describe_tensor": describe_tensor,
    b"describe_source": describe_source,
    b"dynamo_cpp_guards_str": guards,
    b"dynamo_output_graph": output_graph,
    b"compilation_metrics": compilation_metrics,
    b"bwd_compilation_metrics": backward_metrics,
    b"aot_autograd_backward_compilation_metrics": backward_metrics,
    b"compilation_metrics_runtime": runtime_metrics,
    b"bwd_compilation_metrics_runtime": runtime_metrics,
}
ARTIFACTS: dict[bytes, Callable[[TraceReader, Record], None]] = {
    b"recompile_reasons": recompile_reasons,
    b"dynamo_graph_break_reason": graph_break,
    b"dynamo_error": error,
    b"torch_version": torch_version,
    **dict.fromkeys(CACHE_ARTIFACTS, cache_result),
}
