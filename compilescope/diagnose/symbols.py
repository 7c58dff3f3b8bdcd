"""Symbolic sizes: where each was born, what it may be, and which guards narrowed it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from compilescope.diagnose.functions import written
from compilescope.diagnosis import SymbolGuard, SymbolicSize
from compilescope.logs.sources import read_source
from compilescope.model import Compiled, Frame, Guarded, Session, Specialized, Symbol

_SIZE = re.compile(r"\.size\(\)\[(\d+)\]")
_RANGE = re.compile(r"[\[(](?P<low>[^,]*), (?P<high>[^,]*)[\])]")
_NAME = re.compile(r"\b(?:s|u|zu?f?)\d+\b")
# The compiler asks whether 32 bits hold an index; no line of the user's does.
_INDEX_WIDTH = re.compile(r"\b(?:2147483647|2147483648|9223372036854775807)\b")
_COMPARED = re.compile(r"\b(Eq|Ne)\(([^(),]+), ([^(),]+)\)")
_SIGNS = {"Eq": "==", "Ne": "!="}

_Key = tuple[str, str, str]  # path and name of the function, source


def explain_symbols(session: Session) -> tuple[SymbolicSize, ...]:
    """One entry for each function and source, those with most guards first."""
    functions = {
        (event.process, event.compile_id): written(event.frame)
        for event in session.events
        if isinstance(event, Compiled)
    }
    groups: dict[_Key, list[Symbol]] = defaultdict(list)
    names: dict[tuple[int, str], dict[str, str]] = defaultdict(dict)
    for event in session.events:
        if isinstance(event, Symbol):
            function = functions.get((event.process, event.compile_id), Frame("", 0))
            source = _source(event.source)
            groups[function.path, function.function, source or event.name].append(event)
            names[event.process, event.compile_id][event.name] = source or event.name
    guards = _guards(session, names)
    fixed = _fixed(session)
    found = [
        _explain(
            events,
            functions.get((events[0].process, events[0].compile_id)),
            [item for event in events for item in guards[_place(event)]],
            next((fixed[_place(event)] for event in events if _place(event) in fixed), None),
        )
        for events in groups.values()
    ]
    return tuple(sorted(found, key=lambda item: (-len(item.guards), item.source)))


def _explain(
    events: list[Symbol],
    function: Frame | None,
    guards: list[tuple[str, Frame | None]],
    fixed: Specialized | None,
) -> SymbolicSize:
    first = events[0]
    told: dict[tuple[str, str, int], SymbolGuard] = {}
    silent = set()
    for expression, frame in guards:
        if frame is None or _INDEX_WIDTH.search(expression):
            silent.add(expression)
        else:
            key = (expression, frame.path, frame.line)
            told.setdefault(key, SymbolGuard(expression, frame))
    return SymbolicSize(
        name=first.name,
        source=_source(first.source),
        values=tuple(dict.fromkeys(event.value for event in events if event.value)),
        range=_range(first.range),
        backed=first.backed,
        frame=first.frame,
        function=function,
        compile_ids=tuple(dict.fromkeys(event.compile_id for event in events)),
        guards=tuple(told.values()),
        compiler_guards=len(silent),
        constant=fixed.value if fixed else "",
        constant_frame=fixed.frame if fixed else None,
        by_inductor=fixed is not None and fixed.by_inductor,
    )


def _place(event: Symbol) -> tuple[int, str, str]:
    return event.process, event.compile_id, event.name


def _guards(
    session: Session, names: dict[tuple[int, str], dict[str, str]]
) -> dict[tuple[int, str, str], list[tuple[str, Frame | None]]]:
    """The guards that mention each symbol, in the user's names."""
    found: dict[tuple[int, str, str], list[tuple[str, Frame | None]]] = defaultdict(list)
    for event in session.events:
        if not isinstance(event, Guarded):
            continue
        text = _spoken(event.expression, names[event.process, event.compile_id])
        for name in set(_NAME.findall(event.expression)):
            found[event.process, event.compile_id, name].append((text, event.frame))
    return found


def _spoken(expression: str, known: dict[str, str]) -> str:
    text = _NAME.sub(lambda match: known.get(match[0], match[0]), expression)
    return _COMPARED.sub(lambda match: f"{match[2]} {_SIGNS[match[1]]} {match[3]}", text)


def _fixed(session: Session) -> dict[tuple[int, str, str], Specialized]:
    events: Iterable[Specialized] = (e for e in session.events if isinstance(e, Specialized))
    return {(event.process, event.compile_id, event.symbol): event for event in events}


def _source(text: str) -> str:
    return _SIZE.sub(r".shape[\1]", read_source(text).text) if text else ""


def _range(text: str) -> str:
    """A range in words; "" where it says nothing."""
    match = _RANGE.fullmatch(text.strip())
    if not match:
        return text
    low, high = match["low"], match["high"]
    open_low, open_high = low.startswith(("-int_oo", "-oo")), high in {"int_oo", "oo"}
    if open_low and open_high:
        return "any"
    if open_high:
        return f"{low} and more"
    return f"up to {high}" if open_low else f"{low} to {high}"
