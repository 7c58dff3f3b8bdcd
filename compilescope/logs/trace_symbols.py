"""What each kind of record about symbolic sizes means, and the records that are warnings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.logs.stacks import own_frame
from compilescope.logs.trace_events import Ready
from compilescope.model import Guarded, Specialized, Symbol

if TYPE_CHECKING:
    from collections.abc import Callable

    from compilescope.logs.records import Record
    from compilescope.logs.trace_headers import Header, NewSymbol
    from compilescope.logs.trace_reader import TraceReader
    from compilescope.model import Event

# The functions through which PyTorch's compiler is entered, on a framework stack of 2.1 to 2.14.
_INDUCTOR = {"compile_fx_inner", "joint_graph_passes"}
_WARNINGS = {
    "eager_compile_backwards_failure": "backward",
    "dynamo_cache_bypass": "cache",
    "dynamo_cache_exception": "cache",
    "precompile_cache_bypass": "cache",
}


def create_symbol(reader: TraceReader, record: Record) -> None:
    """A size or number became symbolic."""
    header = reader.header(record)
    if header.create_symbol is not None:
        _symbol(reader, record, header, header.create_symbol, backed=True)


def create_unbacked_symbol(reader: TraceReader, record: Record) -> None:
    """A number that only the data knows."""
    header = reader.header(record)
    if header.create_unbacked_symbol is not None:
        _symbol(reader, record, header, header.create_unbacked_symbol, backed=False)


def specialization(reader: TraceReader, record: Record) -> None:
    """A symbolic size became a constant."""
    header = reader.header(record)
    found = header.symbolic_shape_specialization
    if found is None:
        return
    symbol, value = found.symbol or "", _value(found.value)
    event = Specialized(
        process=0,
        compile_id=header.compile_id,
        symbol=symbol,
        sources=tuple(found.sources or ()),
        value=value,
        reason=found.reason or "",
        frame=own_frame(reader.stack(found.user_stack)),
        by_inductor=any(
            frame.function in _INDUCTOR and "_inductor" in frame.path
            for frame in reader.stack(found.stack)
        ),
    )
    _once(reader, record, header, event, "specialization", symbol, value)


def guard_added(reader: TraceReader, record: Record) -> None:
    """An expression over symbols became a guard."""
    header = reader.header(record)
    found = header.guard_added_fast
    if found is not None:
        frame = own_frame(reader.stack(found.user_stack))
        event = Guarded(0, header.compile_id, found.expr, frame)
        _once(reader, record, header, event, "guard", found.expr)


def propagate_real_tensors(reader: TraceReader, record: Record) -> None:
    """A data-dependent expression was decided by the real data."""
    header = reader.header(record)
    found = header.propagate_real_tensors
    if found is not None:
        text = f"{found.expr} -> {found.result}"
        reader.message(record, header, "propagate_real_tensors", text, found.user_stack)


def missing_fake_kernel(reader: TraceReader, record: Record) -> None:
    """An operator cannot be traced without data."""
    header = reader.header(record)
    if header.missing_fake_kernel is not None:
        reader.message(record, header, "missing_fake_kernel", header.missing_fake_kernel.op)


def mismatched_fake_kernel(reader: TraceReader, record: Record) -> None:
    """An operator does something else than its fake kernel says."""
    header = reader.header(record)
    found = header.mismatched_fake_kernel
    if found is not None:
        text = f"{found.op}: {found.reason}" if found.reason else found.op
        reader.message(record, header, "mismatched_fake_kernel", text)


def warning(reader: TraceReader, record: Record) -> None:
    """An artifact whose text is a warning."""
    header = reader.header(record)
    if header.artifact is not None:
        kind = _WARNINGS[header.artifact.name]
        reader.message(record, header, kind, reader.text(record, header).strip())


def _symbol(
    reader: TraceReader,
    record: Record,
    header: Header,
    new: NewSymbol,
    *,
    backed: bool,
) -> None:
    event = Symbol(
        process=0,
        compile_id=header.compile_id,
        name=new.symbol,
        source=new.source or "",
        value=_value(new.val),
        range=new.vr or "",
        backed=backed,
        frame=own_frame(reader.stack(new.user_stack)),
    )
    _once(reader, record, header, event, "symbol", new.symbol, new.source or "")


def _once(reader: TraceReader, record: Record, header: Header, event: Event, *what: str) -> None:
    """A restarted trace says everything again."""
    seen = reader.compile(record, header).seen
    if what not in seen:
        seen.add(what)
        reader.track(record, header).entries.append(Ready(event))


def _value(value: str | float | None) -> str:
    return "" if value is None else str(value)


KINDS: dict[bytes, Callable[[TraceReader, Record], None]] = {
    b"create_symbol": create_symbol,
    b"create_unbacked_symbol": create_unbacked_symbol,
    b"symbolic_shape_specialization": specialization,
    b"guard_added_fast": guard_added,
    b"propagate_real_tensors": propagate_real_tensors,
    b"missing_fake_kernel": missing_fake_kernel,
    b"mismatched_fake_kernel": mismatched_fake_kernel,
}
ARTIFACTS: dict[bytes, Callable[[TraceReader, Record], None]] = {
    name.encode(): warning for name in _WARNINGS
}
