"""What the agent's exploration wrote, read back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from compilescope.model import ForecastCall, ForecastChange, ForecastLeaf
from compilescope.probe import records
from compilescope.probe.merge import _inputs as inputs_of

if TYPE_CHECKING:
    from pathlib import Path

    from compilescope.probe.records import ProcessRecord


LAYOUT = "layout"  # the factor of an unusual layout; the others are sizes by name


@dataclass(frozen=True)
class Found:
    """An input with the compiles that it needed, and what is special about it."""

    call: ForecastCall
    number: int = 0  # of the agent
    ids: tuple[str, ...] = ()
    factors: tuple[str, ...] = ()


@dataclass
class Findings:
    """The lines of the exploration, with the callables numbered as in the session."""

    calls: list[Found] = field(default_factory=list)
    summaries: list[dict[str, Any]] = field(default_factory=list)
    unbounded: dict[int, list[str]] = field(default_factory=dict)
    unbounded_fixed: dict[int, list[str]] = field(default_factory=dict)
    incomplete: set[int] = field(default_factory=set)  # of what has not varied
    unusable: dict[int, list[str]] = field(default_factory=dict)
    covers: dict[int, list[int]] = field(default_factory=dict)  # numbers of calls, in order
    numbers: dict[int, int] = field(default_factory=dict)  # of the agent, to the session's
    proofs: dict[int, dict[str, Any]] = field(default_factory=dict)
    stopped: str = ""
    finished: bool = False
    found: bool = False


def read(raw: Path, folder: Path) -> Findings:
    """The findings in `folder`, of the program whose record is in `raw`."""
    found = Findings()
    programs = records.read(raw)
    explored = records.read(folder) if folder.is_dir() else []
    found.stopped = next(
        (note["why"] for item in programs for note in item.all("forecast_stopped")), ""
    )
    if not explored:
        return found
    found.found = True
    found.numbers = _numbers(programs, explored[0])
    for note in explored[0].notes:
        if note.get("record") == "forecast":
            _read_note(note, found)
        elif note.get("record") == "forecast_end":
            found.finished = True
    return found


def _numbers(programs: list[ProcessRecord], explored: ProcessRecord) -> dict[int, int]:
    """The session's number for each callable of the explored process."""
    process = explored.first("process")
    pids = {process.get("pid"), process.get("forked_from")}
    before = 0
    for program in programs:
        called = sorted({call.callable for call in program.calls})
        if program.pid in pids:
            return {number: before + place for place, number in enumerate(called)}
        before += len(called)
    return {}


def _read_note(note: dict[str, Any], found: Findings) -> None:
    number = found.numbers.get(note["callable"])
    if number is None:
        return
    if note["what"] == "summary":
        found.summaries.append({**note, "callable": number})
    elif note["what"] == "unbounded":
        held = found.unbounded_fixed if note["assumed"] else found.unbounded
        held.setdefault(number, []).extend(note["sources"])
    elif note["what"] == "incomplete":
        found.incomplete.add(number)
    elif note["what"] == "proof":
        found.proofs.setdefault(number, {}).update(note)
    elif note["what"] == "cover":
        found.covers[number] = note["calls"]
    elif note["what"] == "unusable":
        found.unusable.setdefault(number, []).append(note["why"])
    else:
        factors = tuple(note["factors"]) + ((LAYOUT,) if note["layout"] else ())
        ids = tuple(note.get("ids", ()))
        found.calls.append(Found(_call(note, number), note["number"], ids, factors))


def _call(note: dict[str, Any], number: int) -> ForecastCall:
    modes = note["modes"]
    return ForecastCall(
        callable=number,
        what=note["what"],
        changes=tuple(
            ForecastChange(
                change["source"], change["dimension"], change["to"], change["kind"], change["held"]
            )
            for change in note["changes"]
        ),
        layout=note["layout"],
        inputs=inputs_of(note["inputs"]),
        leaves=tuple(
            ForecastLeaf(
                keys=tuple(_key(key) for key in leaf["keys"]),
                shape=tuple(leaf["shape"]) if "shape" in leaf else None,
                strides=tuple(leaf["strides"]) if "strides" in leaf else None,
                dtype=leaf.get("dtype", ""),
                value=leaf.get("value", ""),
                requires_grad=leaf.get("requires_grad", False),
                fill=leaf.get("fill", ""),
                length=leaf.get("length"),
                names=tuple(leaf["names"]) if "names" in leaf else None,
            )
            for leaf in note["recipe"]
        ),
        grad=modes["grad"],
        inference=modes["inference"],
        training=modes["training"],
        autocast=tuple((kind, dtype) for kind, dtype in modes["autocast"]),
        default_dtype=modes["dtype"],
        call=note["call"],
        error=note.get("error", ""),
        repeat=note.get("repeat", False),
        unbounded=note.get("unbounded", False),
    )


def _key(key: Any) -> Any:
    return tuple(key) if isinstance(key, list) else key
