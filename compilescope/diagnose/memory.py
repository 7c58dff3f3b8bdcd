"""Device memory at its highest, by the graph whose call reached it."""

from __future__ import annotations

from compilescope.diagnosis import GraphMemory
from compilescope.model import Called, Compiled, Session


def graph_memory(session: Session) -> tuple[GraphMemory, ...]:
    """The highest point that each graph's calls reached, the highest graph first.

    Only calls that took more than any call before them have a height of their own, so a graph that
    needs less than an earlier one is not in the list.
    """
    frames = {
        (event.process, event.compile_id): event.frame
        for event in session.events
        if isinstance(event, Compiled) and event.outcome == "compiled"
    }
    serving: dict[tuple[int, int, int | None], str | None] = {}  # by callable and signature
    signature: dict[tuple[int, int], int | None] = {}
    found: dict[tuple[int, str], GraphMemory] = {}
    for call in session.events:
        if not isinstance(call, Called):
            continue
        own = (call.process, call.callable)
        if call.signature is not None:
            signature[own] = call.signature
        key = (*own, signature.get(own))
        if call.compiles:
            graphs = (one for one in call.compiles if (call.process, one) in frames)
            serving[key] = next(graphs, None)
        graph = serving.get(key)
        if call.peak_bytes is None or graph is None:
            continue
        known = found.get((call.process, graph))
        if known is None or call.peak_bytes > known.peak_bytes:
            found[call.process, graph] = GraphMemory(
                compile_id=graph,
                frame=frames[call.process, graph],
                peak_bytes=call.peak_bytes,
                call=call.index,
                process=call.process,
            )
    return tuple(sorted(found.values(), key=lambda item: -item.peak_bytes))
