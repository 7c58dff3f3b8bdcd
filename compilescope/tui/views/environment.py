"""What the run ran on, and how each of its processes ended."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from compilescope.tui.views.document import title
from compilescope.tui.views.table import Block, Column, Table

if TYPE_CHECKING:
    from compilescope.diagnosis import Diagnosis
    from compilescope.tui.views.index import Index

Row = tuple[str, str, str]  # group, name, value


def table(index: Index) -> Table:
    """One row a fact."""
    return Table(
        tuple(_rows(index.diagnosis)),
        (
            Column("", lambda row: row[0], 10),
            Column("name", lambda row: row[1], 30),
            Column("value", lambda row: row[2]),
        ),
        document=lambda row: (*title(row[1]), Block(row[2], code=True)),
        identity=lambda row: f"{row[0]} {row[1]}",
        values=lambda row: {"kind": row[0], "name": row[1], "value": row[2]},
        empty="Nothing is known of the environment.",
        fix=lambda row: f"{row[1]}={row[2]}",
    )


def _rows(found: Diagnosis) -> Iterable[Row]:
    of = found.environment
    run = (
        ("program", found.name),
        ("command", " ".join(found.command)),
        ("recorded", found.created),
        ("ended", found.ended),
    )
    versions = (
        ("torch", of.torch),
        ("python", of.python),
        ("platform", of.platform),
        ("cuda", of.cuda),
        ("triton", of.triton),
        ("devices", ", ".join(of.devices)),
        ("processors", str(of.cpu_count or "")),
    )
    groups = (
        ("run", run),
        ("machine", versions),
        ("variable", of.variables.items()),
        ("config", of.config.items()),
        ("package", of.packages.items()),
    )
    for group, facts in groups:
        yield from ((group, name, value) for name, value in facts if value)
    for process in found.processes:
        rank = f" rank {process.rank}" if process.rank is not None else ""
        how = f"{process.how}{f' ({process.code})' if process.code else ''} {process.error}".strip()
        yield "process", f"pid {process.pid}{rank}", how
