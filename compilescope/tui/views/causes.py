"""What cost time: functions that fell back, recompilations by cause, graph breaks, errors."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from compilescope.diagnosis import Break, Cause, Fallback
from compilescope.model import Frame
from compilescope.tui.views import breaks
from compilescope.tui.views.document import copied, fixes, guard, source, title
from compilescope.tui.views.table import Block, Column, Document, Table, Tone
from compilescope.tui.views.words import brief, few, numbers, place, seconds

if TYPE_CHECKING:
    from compilescope.diagnosis import Recompile
    from compilescope.tui.views.index import Index

Item = Fallback | Cause | Break | str

_MOST_EVENTS = 8
_ERROR = re.compile(r"(\S+?):(\d+): (.+)", re.DOTALL)


def table(index: Index) -> Table:
    """Everything that is wrong, as the verdict ranks it."""
    return _Causes(index).table()


class _Causes:
    def __init__(self, index: Index) -> None:
        self.index = index
        self.found = index.diagnosis

    def table(self) -> Table:
        found = self.found
        errors = dict.fromkeys(found.errors)
        items: list[Item] = [*found.fallbacks, *errors, *found.causes, *found.graph_breaks]
        return Table(
            items,
            (
                Column("", self.mark, 2),
                Column("lost", self.cost, 9, _lost, down=True, right=True),
                Column("×", self.times, 6, _times, down=True, right=True),
                Column("where", _where, 26, whole=True),
                Column("why", self.why),
            ),
            document=self.document,
            identity=_identity,
            values=self.values,
            empty=self.empty(),
            tone=_tone,
            frame=_frame,
            fix=lambda item: "" if isinstance(item, (str, Fallback)) else copied(item.remedies),
            calls=self.calls,
            into=self.into,
        )

    def empty(self) -> str:
        if self.found.status == "nothing":
            if self.found.ended.startswith("still"):
                return "Nothing was compiled so far."
            return (
                "Nothing was compiled: no call of a compiled function was recorded.\n"
                "Was torch.compile reached, and the compiled function called?"
            )
        notices = few(len(self.found.notices), "notice")
        more = f"\nPress 6 for {notices} on performance." if self.found.notices else ""
        return f"Nothing to fix.{more}"

    def mark(self, item: Item) -> str:
        match item:
            case Fallback():
                return "!"
            case Cause():
                return self.index.letters[item.id]
            case Break():
                return "/"
            case _:
                return "✗"

    def cost(self, item: Item) -> str:
        lost = _lost(item)
        return brief(lost) if lost else ("eager" if isinstance(item, Fallback) else "")

    def times(self, item: Item) -> str:
        return f"{_times(item):,}" if _times(item) else ""

    def why(self, item: Item) -> str:
        match item:
            case str():
                return _error(item)[1].partition("\n")[0]
            case Break():
                return f"graph break: {item.why}"
            case _:
                return item.why

    def values(self, item: Item) -> dict[str, str | float | None]:
        frame = _frame(item)
        found: dict[str, str | float | None] = {
            "cause": self.mark(item),
            "kind": _kind(item),
            "rule": _kind(item),
            "file": frame.path if frame else "",
            "fn": _functions(item),
            "n": _times(item),
            "s": _lost(item),
            "why": self.why(item),
        }
        if isinstance(item, Cause):
            found["source"] = item.source
            found["call"] = item.calls[0] if item.calls else None
        return found

    def calls(self, item: Item) -> tuple[int, ...]:
        series = self.index.series
        if series is None:
            return ()
        if isinstance(item, Fallback):
            return () if item.call is None else (item.call,)
        if not isinstance(item, Cause):
            return ()
        return tuple(
            sorted(
                event.call
                for event in self.index.recompiles_of.get(item.id, ())
                if event.call is not None
                and (event.process, event.callable) == (series.process, series.callable)
            )
        )

    def into(self, item: Item) -> tuple[str, str] | None:
        match item:
            case Cause():
                view = "2" if self.calls(item) else "5"
                return view, f"cause:{self.index.letters[item.id]}"
            case Break():
                return "4", ""
            case Fallback():
                return "3", f"fn:{item.frame.function}" if item.frame.function else ""
            case _:
                return None

    def document(self, item: Item) -> Document:
        match item:
            case Cause():
                return tuple(self._cause(item))
            case Break():
                return breaks.document(self.found, item)
            case Fallback():
                return tuple(self._fallback(item))
            case _:
                frame, text = _error(item)
                return (*title("✗  Error", frame), Block(text))

    def _cause(self, cause: Cause) -> Iterable[Block]:
        cost = seconds(cause.seconds_lost) if cause.seconds_lost else "unknown time"
        head = f"{self.mark(cause)}  {cost} lost in {few(cause.times, 'recompile')}"
        yield from title(head, cause.frame)
        yield from source(self.found.sources, cause.frame, cause.source)
        yield Block("Why", heading=True)
        yield Block(cause.why)
        for line in cause.also:
            yield Block(f"Also: {line}.")
        yield from fixes(cause.remedies)
        yield Block("Events", heading=True)
        if cause.calls:
            which = "Call" if len(cause.calls) == 1 else "Calls"
            yield Block(f"{which} {numbers(cause.calls)}", indent=2)
        events = self.index.recompiles_of.get(cause.id, [])
        for event in events[:_MOST_EVENTS]:
            yield from _event(event)
        if len(events) > _MOST_EVENTS:
            more = few(len(events) - _MOST_EVENTS, "more event")
            yield Block(f"{more}: enter shows all", "dim", indent=2)
        yield Block(f"Kind: {cause.kind}", "dim", indent=2)

    def _fallback(self, item: Fallback) -> Iterable[Block]:
        yield from title(f"!  Runs eagerly: {item.limit_name} reached", item.frame)
        yield from source(self.found.sources, item.frame)
        yield Block("Why", heading=True)
        yield Block(item.why)
        used = [self.index.letters[name] for name in item.causes if name in self.index.letters]
        if used:
            which = "the cause" if len(used) == 1 else "the causes"
            yield Block("Fix", heading=True)
            yield Block(f"Fix {which} that used the limit up: {', '.join(used)}.", "good")


def _event(event: Recompile) -> Iterable[Block]:
    call = f"call {event.call}  " if event.call is not None else ""
    refused = "  refused by the limit" if event.refused else ""
    cost = seconds(event.seconds_lost or event.seconds)
    yield Block(f"[{event.compile_id}]  {call}{cost}{refused}", indent=2)
    near = [reason for reason in event.reasons if reason.entry == event.nearest]
    for reason in (near or list(event.reasons))[:1]:
        yield from guard(reason)


def _lost(item: Item) -> float:
    match item:
        case Cause():
            return item.seconds_lost
        case Break():
            return item.seconds
        case _:
            return 0.0


def _times(item: Item) -> int:
    match item:
        case Fallback():
            return item.calls_eager
        case str():
            return 0
        case _:
            return item.times


def _frame(item: Item) -> Frame | None:
    return None if isinstance(item, str) else item.frame


def _error(text: str) -> tuple[Frame | None, str]:
    """Where an error came from, if it says so, and the error itself."""
    found = _ERROR.match(text)
    return (Frame(found[1], int(found[2])), found[3]) if found else (None, text)


def _where(item: Item) -> str:
    return place(_error(item)[0] if isinstance(item, str) else item.frame)


def _kind(item: Item) -> str:
    match item:
        case Fallback():
            return f"fallback {item.limit_name}"
        case Cause():
            return item.kind
        case Break():
            return f"break {item.gb_id} {item.type}"
        case _:
            return "error"


def _functions(item: Item) -> str:
    match item:
        case Cause():
            return f"{item.frame.function} {item.function.function if item.function else ''}"
        case Break():
            return " ".join((item.frame.function, *item.functions))
        case Fallback():
            return item.frame.function
        case _:
            return ""


def _identity(item: Item) -> str:
    match item:
        case Fallback():
            return f"! {item.process} {item.frame.path} {item.frame.line} {item.limit_name}"
        case str():
            return item
        case _:
            return f"{type(item).__name__} {item.id}"


def _tone(item: Item) -> Tone:
    return "warn" if isinstance(item, Break) else "bad"
