"""The GPU's side: CUDA graphs, Triton kernels, device memory."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from compilescope.diagnosis import CudaGraph, CudaGraphProblem, GraphMemory, Kernel
from compilescope.model import DeviceMemory
from compilescope.tui.views.document import copied, fixes, source, title
from compilescope.tui.views.table import Block, Column, Table, Tone
from compilescope.tui.views.words import brief, few, place, seconds

if TYPE_CHECKING:
    from compilescope.diagnosis import Diagnosis
    from compilescope.model import Frame
    from compilescope.tui.views.index import Index

Item = CudaGraphProblem | CudaGraph | Kernel | GraphMemory | DeviceMemory

_NONE = (
    "Nothing is known of CUDA graphs, Triton kernels or device memory:\n"
    "the program used no GPU, or the session does not record it."
)
_SORTS: dict[type, str] = {
    CudaGraph: "cuda graph",
    Kernel: "kernel",
    GraphMemory: "graph memory",
    DeviceMemory: "memory",
}


def table(index: Index) -> Table:
    """What keeps CUDA graphs from paying, then the graphs, the kernels, the memory."""
    found = index.diagnosis
    return Table(
        rows(found),
        (
            Column("sort", _sort, 18),
            Column("cost", _cost, 9, _order, down=True, right=True),
            Column("×", lambda item: _count(_times(item)), 6, _times, down=True, right=True),
            Column("where", lambda item: place(_frame(item)), 26, whole=True),
            Column("what", _what),
        ),
        document=lambda item: tuple(_blocks(found, item)),
        identity=_identity,
        values=_values,
        empty=found.cudagraphs.summary if found.cudagraphs else _NONE,
        tone=_tone,
        frame=_frame,
        fix=lambda item: copied(getattr(item, "remedies", ())),
    )


def rows(found: Diagnosis) -> tuple[Item, ...]:
    """All that is known of the device; empty where nothing is."""
    graphs = found.cudagraphs
    kernels = sorted(found.kernels, key=lambda one: (not _is_bad(one), -one.seconds))
    own: tuple[Item, ...] = ()
    if graphs is not None:
        told = (one for one in graphs.graphs if _is_told(one))
        own = (*graphs.problems, *told)
    return (*own, *kernels, *found.memory, *found.devices)


def _is_told(item: CudaGraph) -> bool:
    return bool(item.sizes) or {item.recorded, item.rerecorded, item.warm_ups} != {None}


def _is_bad(item: Kernel) -> bool:
    return bool(item.why or item.causes)


def _sort(item: Item) -> str:
    if isinstance(item, CudaGraphProblem):
        return f"! {item.kind.replace('_', ' ')}"
    return ("! " if isinstance(item, Kernel) and _is_bad(item) else "") + _SORTS[type(item)]


def _tone(item: Item) -> Tone:
    return "warn" if _sort(item).startswith("!") else ""


def _frame(item: Item) -> Frame | None:
    match item:
        case CudaGraphProblem() | GraphMemory():
            return item.frame
        case CudaGraph():
            return item.function
        case Kernel():
            return item.launched or item.frame
        case _:
            return None


def _order(item: Item) -> float:
    match item:
        case Kernel():
            return item.seconds
        case GraphMemory():
            return item.peak_bytes
        case DeviceMemory():
            return item.peak_reserved or 0
        case _:
            return 0.0


def _cost(item: Item) -> str:
    match item:
        case Kernel():
            return brief(item.seconds) if item.seconds else ""
        case GraphMemory() | DeviceMemory():
            return size(int(_order(item)) or None)
        case _:
            return ""


def _times(item: Item) -> int:
    match item:
        case CudaGraphProblem():
            return item.times
        case CudaGraph():
            return item.recorded or 0
        case Kernel():
            return item.compiles
        case _:
            return 0


def _count(value: int) -> str:
    return f"{value:,}" if value else ""


def size(value: int | None) -> str:
    """Bytes; `?` where they are not known."""
    if value is None:
        return "?"
    number = float(value)
    for unit in ("B", "kB", "MB"):
        if number < 999.5:
            return f"{number:.3g} {unit}"
        number /= 1000
    return f"{number:,.3g} GB"


def _what(item: Item) -> str:
    match item:
        case CudaGraphProblem():
            return item.why or item.text
        case CudaGraph():
            return (f"[{item.compile_id}]  " if item.compile_id else "") + _recorded(item)
        case Kernel():
            why = item.why or next((cause.why for cause in item.causes), "")
            return f"{item.name} ({item.origin})" + (f": {why}" if why else "")
        case GraphMemory():
            return f"[{item.compile_id}]  highest in its calls"
        case DeviceMemory():
            return f"device {item.device}, process {item.process}"


def _recorded(item: CudaGraph) -> str:
    known = (
        (item.recorded, "recorded"),
        (item.rerecorded, "again"),
        (item.warm_ups, "to warm up"),
    )
    parts = [f"{count:,} {word}" for count, word in known if count is not None]
    return ", ".join(parts) or "the log does not tell"


def _identity(item: Item) -> str:
    match item:
        case CudaGraphProblem():
            return f"problem {item.kind} {item.text} {item.compile_ids}"
        case CudaGraph() | GraphMemory():
            return f"{type(item).__name__} {item.compile_id} {getattr(item, 'process', 0)}"
        case Kernel():
            return f"kernel {item.name} {item.origin} {_frame(item)}"
        case DeviceMemory():
            return f"device {item.process} {item.device}"


def _values(item: Item) -> dict[str, str | float | None]:
    frame = _frame(item)
    return {
        "kind": f"{_sort(item)} {getattr(item, 'kind', getattr(item, 'origin', ''))}",
        "file": frame.path if frame else "",
        "fn": frame.function if frame else "",
        "n": _times(item),
        "s": item.seconds if isinstance(item, Kernel) else None,
        "what": _what(item),
    }


def _blocks(found: Diagnosis, item: Item) -> Iterable[Block]:
    frame = _frame(item)
    name = f"{item.name} ({item.origin})" if isinstance(item, Kernel) else _sort(item)
    yield from title(name, frame)
    if frame is not None:
        yield from source(found.sources, frame)
    match item:
        case CudaGraphProblem():
            yield from _problem(item)
        case Kernel():
            yield from _kernel(item)
        case CudaGraph():
            yield Block(_recorded(item))
            if item.sizes:
                yield Block(f"Sizes, each recorded on its own: {', '.join(item.sizes)}")
        case GraphMemory():
            at = f" in call {item.call:,}" if item.call is not None else ""
            yield Block(f"Graph [{item.compile_id}]: up to {size(item.peak_bytes)}{at}")
        case DeviceMemory():
            yield from _memory(item)
    if found.cudagraphs is not None and isinstance(item, (CudaGraphProblem, CudaGraph)):
        yield Block("CUDA graphs in this run", heading=True)
        yield Block(found.cudagraphs.summary)
        if found.cudagraphs.pools:
            pools = ", ".join(size(pool) for pool in found.cudagraphs.pools)
            yield Block(f"Their pools hold {pools}", "dim")


def _problem(item: CudaGraphProblem) -> Iterable[Block]:
    yield Block("Why", heading=True)
    yield Block(item.why)
    if item.inputs:
        yield Block(f"Moved: {', '.join(item.inputs)}", "dim")
    yield from fixes(item.remedies)
    yield Block("PyTorch says", heading=True)
    yield Block(item.text, indent=2)


def _kernel(item: Kernel) -> Iterable[Block]:
    hits = f", {few(item.cache_hits, 'cache hit')}" if item.cache_hits else ""
    if item.interpreted:
        yield Block(f"{few(item.interpreted, 'specialisation')}, run in Python")
    else:
        yield Block(f"{few(item.compiles, 'compile')}, {seconds(item.seconds)}{hits}")
    facts = (
        ("registers", item.registers),
        ("spills", item.spills),
        ("shared memory", item.shared_bytes),
    )
    known = [f"{name} {value:,}" for name, value in facts if value is not None]
    if known:
        yield Block(", ".join(known), "dim")
    for cause in item.causes:
        again = "A GPU would compile again" if item.interpreted else "Compiled again"
        cost = f", {seconds(cause.seconds)}" if cause.seconds else ""
        yield Block(f"{again} for {cause.argument or 'an unknown reason'}", heading=True)
        yield Block(f"{cause.why} ({few(cause.times, 'time')}{cost})")
        yield from fixes(cause.remedies)
    if item.why:
        yield Block("Why it is told", heading=True)
        yield Block(item.why)
    yield from fixes(item.remedies)
    for tuned in item.tuned:
        yield Block("Tuned", heading=True)
        best = f", {seconds(tuned.best_seconds)} a run" if tuned.best_seconds else ""
        yield Block(f"{few(tuned.trials, 'configuration')} in {seconds(tuned.seconds)}{best}")
        if tuned.winner:
            yield Block(tuned.winner, "dim", indent=2, code=True)


def _memory(item: DeviceMemory) -> Iterable[Block]:
    for name, value in (
        ("allocated at most", item.peak_allocated),
        ("reserved at most", item.peak_reserved),
        ("the device has", item.total),
    ):
        yield Block(f"{name:<18}{size(value):>10}", code=True)
    if item.pools:
        yield Block(f"Pools of CUDA graphs: {', '.join(map(size, item.pools))}", "dim")
