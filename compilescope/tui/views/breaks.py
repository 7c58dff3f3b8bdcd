"""Graph breaks, one row a kind and line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from compilescope.tui.views.document import copied, fixes, source, stack, title
from compilescope.tui.views.table import Block, Column, Document, Table
from compilescope.tui.views.words import brief, few, place, seconds

if TYPE_CHECKING:
    from compilescope.diagnosis import Break, Diagnosis
    from compilescope.tui.views.index import Index


def table(index: Index) -> Table:
    """Every graph break, as the diagnosis orders them."""
    found = index.diagnosis
    return Table(
        found.graph_breaks,
        (
            Column("id", lambda item: item.gb_id, 7),
            Column(
                "cost",
                lambda item: brief(item.seconds) if item.seconds else "",
                9,
                lambda item: item.seconds,
                down=True,
                right=True,
            ),
            Column("×", lambda item: f"{item.times:,}", 6, lambda item: item.times, True, True),
            Column("where", lambda item: place(item.frame), 26, whole=True),
            Column("effect", lambda item: "eager" if item.whole_frame else "split", 7),
            Column("why", lambda item: item.why),
        ),
        document=lambda item: document(found, item),
        identity=lambda item: item.id,
        values=_values,
        empty=_empty(found),
        tone=lambda _: "warn",
        frame=lambda item: item.frame,
        fix=lambda item: copied(item.remedies),
    )


def document(found: Diagnosis, item: Break) -> Document:
    """All that is known of a break."""
    return tuple(_blocks(found, item))


def _blocks(found: Diagnosis, item: Break) -> Iterable[Block]:
    effect = "the whole function runs eagerly" if item.whole_frame else "splits the graph"
    name = f"graph break {item.gb_id}".rstrip()
    yield from title(f"/  {name}: {effect}", item.frame)
    yield from source(found.sources, item.frame)
    yield Block("Why", heading=True)
    yield Block(item.why)
    yield from fixes(item.remedies)
    if item.explanation or item.hints:
        yield Block("PyTorch says", heading=True)
        yield Block(item.explanation, indent=2)
        for hint in item.hints:
            yield Block(f"- {hint}", indent=2)
    yield Block("Events", heading=True)
    cost = f", {seconds(item.seconds)} of compiling what follows it" if item.seconds else ""
    yield Block(f"{few(item.times, 'time')}{cost}", indent=2)
    if item.functions:
        yield Block(f"In {', '.join(item.functions)}", indent=2)
    if item.compile_ids:
        shown = ", ".join(item.compile_ids[:12])
        more = ", …" if len(item.compile_ids) > 12 else ""
        yield Block(f"While compiling {shown}{more}", indent=2)
    yield Block(f"Type: {item.type}", "dim", indent=2)
    yield from stack(item.stack)


def _empty(found: Diagnosis) -> str:
    whole = found.functions and all(item.status == "compiled" for item in found.functions)
    return f"No graph breaks{': every function was captured whole' if whole else ''}."


def _values(item: Break) -> dict[str, str | float | None]:
    return {
        "rule": item.gb_id,
        "kind": f"break {item.type}",
        "file": item.frame.path,
        "fn": " ".join((item.frame.function, *item.functions)),
        "cause": "/",
        "n": item.times,
        "s": item.seconds,
        "why": item.why,
    }
