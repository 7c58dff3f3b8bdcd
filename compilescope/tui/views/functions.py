"""Compiled functions below their callers, each with its continuations after graph breaks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from compilescope.diagnose.calltree import branches
from compilescope.tui.views.document import source, title
from compilescope.tui.views.table import Block, Column, Table, Tone
from compilescope.tui.views.words import brief, few, place, seconds, where

if TYPE_CHECKING:
    from compilescope.diagnose.calltree import Branch
    from compilescope.diagnosis import FunctionSummary
    from compilescope.model import Frame
    from compilescope.tui.views.index import Index

_STATUS: dict[str, tuple[str, Tone]] = {
    "compiled": ("✓ compiled", "good"),
    "broken": ("/ split", "warn"),
    "eager": ("! eager", "bad"),
    "failed": ("✗ failed", "bad"),
    "skipped": ("– skipped", "dim"),
    "empty": ("· no graph", "dim"),
}
_MEANING = {
    "compiled": "Captured whole.",
    "broken": "Graph breaks split it; the pieces between run compiled.",
    "eager": "It runs eagerly.",
    "failed": "It could not be compiled.",
    "skipped": "torch.compile passed it by.",
    "empty": "It was traced, and no operation was left for a graph: what it calls has its own.",
}
_MOST = 30
_DEEPEST = 8  # levels of the tree that are drawn before a name


def table(index: Index) -> Table:
    """Every compiled function below the one that called it, the dearest branch first."""
    return _Functions(index).table()


class _Functions:
    def __init__(self, index: Index) -> None:
        self.index = index
        self.branches = {
            branch.function.frame: branch for branch in branches(index.diagnosis.functions)
        }
        self.lines = _lines(self.branches.values())

    def table(self) -> Table:
        return Table(
            [branch.function for branch in self.branches.values()],
            (
                Column("status", lambda item: _STATUS[item.status][0], 11),
                Column("compiling", _cost, 9, lambda item: item.seconds, down=True, right=True),
                _count("compiles", 8),
                _count("recompiles", 10),
                _count("breaks", 6),
                Column(
                    "function",
                    lambda item: place(item.frame),
                    whole=True,
                    branch=lambda item: self.lines[item.frame],
                ),
            ),
            document=lambda item: tuple(self.document(item)),
            identity=lambda item: f"{item.frame.path}:{item.frame.line} {item.frame.function}",
            values=_values,
            empty="No function was compiled.",
            tone=lambda item: _STATUS[item.status][1],
            frame=lambda item: item.frame,
            into=lambda item: ("5", f"fn:{item.frame.function}") if item.frame.function else None,
        )

    def document(self, item: FunctionSummary) -> Iterable[Block]:
        yield from _summary(self.index, item, self.branches[item.frame].seconds)
        yield from self.neighbours(item)
        yield from _problems(self.index, item)

    def neighbours(self, item: FunctionSummary) -> Iterable[Block]:
        """Under which functions it was compiled, and which were compiled under it."""
        above: list[Frame] = []
        at = item
        while at.caller in self.branches and at.caller not in (*above, item.frame):
            above.append(at.caller)
            at = self.branches[at.caller].function
        if above:
            yield Block("Called by", heading=True)
        for frame in above[:_MOST]:
            yield Block(where(frame), indent=2)
        below = [one for one in self.branches.values() if one.function.caller == item.frame]
        if below:
            yield Block("Calls", heading=True)
        for branch in below[:_MOST]:
            one = branch.function
            text = f"{_STATUS[one.status][0][0]}  {seconds(branch.seconds)}  {place(one.frame)}"
            yield Block(text, indent=2)


def _lines(found: Iterable[Branch]) -> dict[Frame, str]:
    """The lines of the tree that stand before each function."""
    drawn: dict[Frame, str] = {}
    above: list[str] = []
    for branch in found:
        del above[max(0, branch.depth - 1) :]
        own = ("└ " if branch.last else "├ ") if branch.depth else ""
        drawn[branch.function.frame] = "".join(above[-_DEEPEST:]) + own
        if branch.depth:
            above.append("  " if branch.last else "│ ")
    return drawn


def _count(name: str, width: int) -> Column:
    return Column(
        name,
        lambda item: f"{getattr(item, name):,}",
        width,
        lambda item: getattr(item, name),
        down=True,
        right=True,
    )


def _cost(item: FunctionSummary) -> str:
    return brief(item.seconds) if item.seconds else ""


def _values(item: FunctionSummary) -> dict[str, str | float | None]:
    return {
        "kind": item.status,
        "file": item.frame.path,
        "fn": item.frame.function,
        "n": item.compiles,
        "s": item.seconds,
    }


def _summary(index: Index, item: FunctionSummary, whole: float) -> Iterable[Block]:
    yield from title(f"{_STATUS[item.status][0][0]}  {item.frame.function}", item.frame)
    yield from source(index.diagnosis.sources, item.frame)
    yield Block(_MEANING[item.status], _STATUS[item.status][1])
    counts = (
        few(item.compiles, "compile"),
        few(item.recompiles, "recompile"),
        few(item.breaks, "graph break"),
    )
    below = f", {seconds(whole)} with what it calls" if whole > item.seconds else ""
    yield Block(f"{', '.join(counts)}; {seconds(item.seconds)} of compiling{below}", indent=2)


def _problems(index: Index, item: FunctionSummary) -> Iterable[Block]:
    found = index.diagnosis
    causes = [cause for cause in found.causes if cause.function == item.frame]
    if causes:
        yield Block("Causes", heading=True)
    for cause in causes:
        cost = seconds(cause.seconds_lost)
        yield Block(f"{index.letters[cause.id]}  {cost}  {cause.why}", indent=2)
    broken = [part for part in found.graph_breaks if item.frame.function in part.functions]
    if broken:
        yield Block("Graph breaks", heading=True)
    for part in broken[:_MOST]:
        yield Block(f"/  {place(part.frame)}  {part.why}", indent=2)
