"""Filter and order of a list, in slices, so that a long one never holds up a key."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from compilescope.filters import parse

if TYPE_CHECKING:
    from compilescope.filters import Query
    from compilescope.tui.browsing import ViewState
    from compilescope.tui.screens.session import SessionScreen
    from compilescope.tui.views.table import Table

_AT_ONCE = 1000  # rows that are filtered within a few milliseconds
_MOST_KEPT = 6


class Narrowing:
    """Which rows of a table are shown, in which order."""

    def __init__(self, screen: SessionScreen) -> None:
        self._screen = screen
        self._kept: list[_Kept] = []  # the newest first

    def start(self, table: Table, state: ViewState) -> None:
        """Fill the screen's list, at once where it is short."""
        query = parse(state.filter)
        for kept in self._kept:
            if kept.table is table and kept.wanted == _wanted(state):
                self._screen.workers.cancel_group(self._screen, "narrow")
                self._screen.fill(kept.rows)
                return
        if query.terms and len(_one_by_one(table)) > _AT_ONCE:
            self._screen.run_worker(self._slowly(table, state), group="narrow", exclusive=True)
            return
        self._screen.workers.cancel_group(self._screen, "narrow")
        rows: Sequence[int] = range(len(table.items))
        if query.terms:
            rows = matching(table, query)
        self._fill(table, rows, state)

    async def _slowly(self, table: Table, state: ViewState) -> None:
        query = parse(state.filter)
        rows: list[int] = []
        every = _one_by_one(table)
        for start in range(0, len(every), _AT_ONCE):
            rows += _held(table, every[start : start + _AT_ONCE], query)
            await asyncio.sleep(0)
        if self._screen.at.table is table:
            self._fill(table, sorted(rows + _in_groups(table, query)), state)

    def _fill(self, table: Table, rows: Sequence[int], state: ViewState) -> None:
        rows = ordered(table, rows, state)
        if len(table.items) > _AT_ONCE:  # to come back to a long list costs nothing
            self._kept = [_Kept(table, _wanted(state), rows), *self._kept[: _MOST_KEPT - 1]]
        self._screen.fill(rows)

    def forget(self) -> None:
        """Let go of tables that are not shown again."""
        self._kept.clear()


class _Kept(NamedTuple):
    table: Table
    wanted: tuple[str, int | None, bool]
    rows: Sequence[int]


def _wanted(state: ViewState) -> tuple[str, int | None, bool]:
    return state.filter, state.sort, state.down


def prepare(table: Table) -> None:
    """Have what the first filter of a long list looks at, before somebody types it."""
    for at in _one_by_one(table)[: 5 * _AT_ONCE]:
        table.values(table.items[at])


def matching(table: Table, query: Query) -> Sequence[int]:
    """The rows that the filter lets through."""
    return sorted(_held(table, _one_by_one(table), query) + _in_groups(table, query))


def _one_by_one(table: Table) -> Sequence[int]:
    return table.groups().others if table.groups is not None else range(len(table.items))


def _held(table: Table, rows: Sequence[int], query: Query) -> list[int]:
    return [at for at in rows if query.holds(table.values(table.items[at]))]


def _in_groups(table: Table, query: Query) -> list[int]:
    if table.groups is None:
        return []
    groups = table.groups()
    found: list[int] = []
    by_row = [term for term in query.terms if term.compare and term.field in groups.numbers]
    by_group = [term for term in query.terms if term not in by_row]
    for group in groups.alike:
        rows = group.rows
        if not all(term.holds(group.values) for term in by_group):
            continue
        for term in by_row:
            rows = term.where(rows, groups.numbers[term.field])
        found += rows
    return found


def ordered(table: Table, rows: Sequence[int], state: ViewState) -> Sequence[int]:
    """The rows by the column that the user chose; equal ones stay as they were."""
    if state.sort is None:
        return rows[::-1] if state.down else rows
    column = table.columns[state.sort]
    if column.keys is not None:
        return sorted(rows, key=column.keys().__getitem__, reverse=state.down)
    key = column.order or (lambda item: column.cell(item).lower())
    items = table.items
    return sorted(rows, key=lambda at: key(items[at]), reverse=state.down)
