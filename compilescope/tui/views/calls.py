"""The calls of one compiled callable, each with what it paid for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from compilescope.tui.views.document import guard, source, title
from compilescope.tui.views.table import (
    Alike,
    Block,
    Cell,
    Column,
    Document,
    Groups,
    Table,
    Tone,
)
from compilescope.tui.views.words import brief, few, place, seconds

if TYPE_CHECKING:
    from compilescope.diagnosis import Recompile
    from compilescope.model import Frame
    from compilescope.tui.views.index import Index


_MOST_KNOWN = 5000


def table(index: Index) -> Table:
    """The calls of the series that is being looked at, in order."""
    return _Calls(index).table()


class _Calls:
    def __init__(self, index: Index) -> None:
        self.index = index
        self.seconds = index.series.seconds if index.series else ()
        self.steady = (index.series.steady if index.series else None) or 0.0
        self.known: dict[int, dict[str, str | float | None]] = {}

    def table(self) -> Table:
        return Table(
            range(len(self.seconds)),
            (
                Column("call", "{:,}".format, 9, right=True, keys=lambda: range(len(self.seconds))),
                self.column("time", self.time, 9),
                self.column("× steady", self.ratio, 10),
                *self.measured(),
                Column("", self.mark, 5),
                Column("what happened", self.what, keys=lambda: self.happenings),
            ),
            document=self.document,
            identity=str,
            values=self.values,
            empty="No calls were recorded: logs have none, `compilescope probe` records them.",
            tone=self.tone,
            frame=self.frame,
            calls=lambda call: (call,),
            into=self.into,
            groups=lambda: self.groups,
        )

    def column(self, title: str, cell: Cell, width: int) -> Column:
        """What is sorted by the time of the calls."""
        return Column(title, cell, width, down=True, right=True, keys=lambda: self.seconds)

    @cached_property
    def groups(self) -> Groups:
        """The calls in which nothing happened, and those that only ran eagerly."""
        index, everything = self.index, range(len(self.seconds))
        key = index.key(0)[:2]
        known = {*index.compiles_at, *index.recompiles_at}
        others = set(index.paid) | {item[2] for item in known if item[:2] == key}
        eager = sorted(index.eager - others)
        alike = [Alike(eager, self._values(eager[0]))] if eager else []
        others.update(eager)
        steady = [call for call in everything if call not in others]
        alike += [Alike(steady, self._values(steady[0]))] if steady else []
        rest = sorted(others.difference(eager).intersection(everything))
        return Groups({"call": everything, "s": self.seconds}, tuple(alike), rest)

    @cached_property
    def happenings(self) -> Sequence[str]:
        """What happened, of every call."""
        found = [""] * len(self.seconds)
        for call in self.index.paid | self.index.eager:
            found[call] = self.what(call).lower()
        return found

    def time(self, call: int) -> str:
        return brief(self.seconds[call])

    def measured(self) -> tuple[Column, ...]:
        """What the GPU took, where it was measured."""
        device = self.index.series.device if self.index.series else ()
        if not device:
            return ()

        def cell(call: int) -> str:
            value = device[call]
            return "" if value is None else brief(value)

        def order(call: int) -> float:
            return device[call] or 0.0

        return (Column("on GPU", cell, 9, order, down=True, right=True),)

    def ratio(self, call: int) -> str:
        if not self.steady:
            return ""
        ratio = self.seconds[call] / self.steady
        return f"{ratio:,.0f}×" if ratio >= 10 else f"{ratio:.1f}×"

    def mark(self, call: int) -> str:
        if call in self.index.paid:
            return self.index.letter_at(call) or "▴"
        return "!" if call in self.index.eager else ""

    def what(self, call: int) -> str:
        eager = "ran eagerly: the recompile limit is reached" if call in self.index.eager else ""
        if call not in self.index.paid:
            return eager
        key = self.index.key(call)
        compiles = self.index.compiles_at.get(key, ())
        failed = bool(compiles) and all(item.outcome == "failed" for item in compiles)
        text = few(len(compiles), "compile") if compiles else "compiled"
        causes = dict.fromkeys(item.cause for item in self.index.recompiles_at.get(key, ()))
        places = dict.fromkeys(
            place(self.index.causes[cause].frame) for cause in causes if cause in self.index.causes
        )
        if places:
            text = f"{text} for {', '.join(places)}"
        elif failed:
            text = f"{text} failed"
        elif not call:
            text = few(len(compiles) or 1, "first compile")
        return f"{text}; {eager}" if eager else text

    def tone(self, call: int) -> Tone:
        if call in self.index.eager:
            return "warn"
        if call in self.index.paid:
            return "bad" if self.index.letter_at(call) else "strong"
        return ""

    def frame(self, call: int) -> Frame | None:
        for item in self.index.recompiles_at.get(self.index.key(call), ()):
            if item.cause in self.index.causes:
                return self.index.causes[item.cause].frame
        compiles = self.index.compiles_at.get(self.index.key(call), [])
        return compiles[0].frame if compiles else None

    def values(self, call: int) -> dict[str, str | float | None]:
        """What the filter looks at; kept of those calls in which something happened."""
        found = self.known.get(call)
        if found is None:
            found = self._values(call)
            if call in self.index.paid and len(self.known) < _MOST_KNOWN:
                self.known[call] = found
        return found

    def _values(self, call: int) -> dict[str, str | float | None]:
        found: dict[str, str | float | None] = {"call": call, "s": self.seconds[call]}
        if call not in self.index.paid and call not in self.index.eager:
            found["kind"] = "steady"
            return found
        frame = self.frame(call)
        compiles = self.index.compiles_at.get(self.index.key(call), [])
        found["cause"] = self.mark(call)
        found["kind"] = "eager" if call in self.index.eager else "compile"
        found["n"] = len(compiles)
        found["file"] = frame.path if frame else ""
        found["fn"] = " ".join(item.frame.function for item in compiles)
        found["what"] = self.what(call)
        return found

    def into(self, call: int) -> tuple[str, str] | None:
        mark = self.index.letter_at(call)
        return ("1", f"cause:{mark.partition(',')[0]}") if mark else None

    def document(self, call: int) -> Document:
        return tuple(self._blocks(call))

    def _blocks(self, call: int) -> Iterable[Block]:
        name = self.index.series.name if self.index.series else ""
        yield from title(f"Call {call:,} of {name}: {self.time(call)}")
        if self.steady:
            usual = f"{self.ratio(call)} the {seconds(self.steady)} of a steady call"
            yield Block(usual, "dim")
        device = self.index.series.device if self.index.series else ()
        if device and device[call] is not None:
            yield Block(f"The GPU took {seconds(device[call])} for it", "dim")
        if call in self.index.eager:
            yield Block("It ran eagerly: the recompile limit was reached.", "warn")
        compiles = self.index.compiles_at.get(self.index.key(call), [])
        if compiles:
            yield Block("Compiled in this call", heading=True)
        for item in compiles:
            cost = seconds(item.seconds)
            yield Block(f"[{item.compile_id}]  {cost}  {place(item.frame)}", indent=2)
        for event in self.index.recompiles_at.get(self.index.key(call), ()):
            yield from self._recompile(event)
        if not compiles and call not in self.index.eager:
            yield Block("It compiled nothing.")

    def _recompile(self, event: Recompile) -> Iterable[Block]:
        cause = self.index.causes.get(event.cause)
        letter = self.index.letters.get(event.cause, "?")
        yield Block(f"Recompiled [{event.compile_id}] for cause {letter}", heading=True)
        if cause is not None:
            yield from source(self.index.diagnosis.sources, cause.frame, cause.source)
            yield Block(cause.why)
        if event.reasons:
            yield Block("Guards that failed, one for each graph in the cache", "dim")
        for reason in event.reasons:
            yield from guard(reason)
