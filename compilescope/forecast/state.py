"""What the program holds beside its inputs, and what a graph keeps as a constant. Pure.

The last graph of a function was compiled because no older one served its call. Were one value of
that call another one, that no graph knows, then no graph would serve it either: the last one keeps
the value as a constant, and what the older ones failed for has not changed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from msgspec import structs

from compilescope.diagnose.explain_words import as_written
from compilescope.diagnose.guard_checks import TypeCheck, ValueCheck, checks_of
from compilescope.forecast.factors import of_inputs
from compilescope.model import Compiled, ForecastState
from compilescope.paths import is_library

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from compilescope.diagnosis import Cause, Diagnosis
    from compilescope.model import Frame, Session

_PLAIN = re.compile(r"-?\d|-?inf|True$|False$|None$|['\"]")
_ITEM_OF_GLOBAL = re.compile(r"^G\[(['\"])(?!__)\w+\1\]\[(['\"])\w+\2\]$")
# What schedulers set.
_SCHEDULED = re.compile(r"\.param_groups\[\d+\]\['(?:lr'\]|momentum'\]|betas'\]\[0\])$")
_OWNER = re.compile(r"^(?P<owner>[A-Za-z].*)\.(?P<attribute>[A-Za-z]\w*)$")
_LAYER = re.compile(r"\[\d+\]")
_CAPTURED = re.compile(r"^[A-Za-z]\w*(?:\.[A-Za-z]\w*)*\.__closure__\[\d+\]\.cell_contents$")
_INTERNAL = ("__", "_hooks", "len(")
_NUMBERS = ("int", "float")
_FEW = frozenset({"True", "False", "None"})


@dataclass
class _Held:
    """One value of one function, in the graphs that were compiled for it."""

    source: str  # as the guard writes it
    seen: dict[str, None] = field(default_factory=dict)
    last: bool = False  # whether the last graph keeps it as a constant
    opened: bool = False  # a graph left it open: it was a number that changed

    @property
    def varied(self) -> bool:
        return len(self.seen) > 1

    @property
    def exhausted(self) -> bool:
        """Whether there is no other value that is known to be one of its kind."""
        return self.varied and set(self.seen) <= _FEW


def states(
    session: Session, diagnosis: Diagnosis, process: int, happened: Mapping[str, int]
) -> tuple[ForecastState, ...]:
    """The values of which another one would compile, those that varied so far first.

    Args:
        session: The run, without the exploration.
        diagnosis: What explains its recompiles.
        process: The explored process.
        happened: How often the run recompiled, by the id of the diagnosis's cause.
    """
    found: list[ForecastState] = []
    for frame, graphs in _functions(session, process).items():
        causes = _causes(diagnosis, graphs, happened)
        held = _values(graphs)
        own = _Own(session, graphs, {_layers(key) for key, one in held.items() if one.varied})
        for key, one in held.items():
            if not one.last or one.opened or _is_internal(key):
                continue
            own_causes = causes.get(key, []) if one.varied else []
            if (own_causes or own.may_set(one.source, key)) and not one.exhausted:
                found.append(_state(key, one, frame, own_causes, happened))
    return tuple(sorted(_grouped(found), key=lambda item: (not item.varied, "self" in item.source)))


def _functions(session: Session, process: int) -> dict[Frame, list[Compiled]]:
    found: dict[Frame, list[Compiled]] = {}
    for event in session.events:
        if (
            isinstance(event, Compiled)
            and event.process == process
            and event.outcome == "compiled"
            and not event.backward
            and event.guards
        ):
            found.setdefault(event.frame, []).append(event)
    return found


def _causes(
    diagnosis: Diagnosis, graphs: list[Compiled], happened: Mapping[str, int]
) -> dict[str, list[Cause]]:
    """What the function recompiled for, by source, the latest last."""
    order = {graph.compile_id: place for place, graph in enumerate(graphs)}
    found: dict[str, list[tuple[int, Cause]]] = {}
    for cause in diagnosis.causes:
        places = [order[name] for name in cause.compile_ids if name in order]
        if happened.get(cause.id) and places:
            found.setdefault(as_written(cause.source), []).append((max(places), cause))
    return {
        source: [cause for _, cause in sorted(causes, key=lambda item: item[0])]
        for source, causes in found.items()
    }


def _values(graphs: list[Compiled]) -> dict[str, _Held]:
    found: dict[str, _Held] = {}
    for graph in graphs:
        checks = checks_of(graph.guards)
        fixed = {check.key for check in checks if isinstance(check, ValueCheck)}
        for check in checks:
            if isinstance(check, ValueCheck) and _PLAIN.match(check.value):
                found.setdefault(check.key, _Held(check.source)).seen[check.value] = None
            elif isinstance(check, TypeCheck) and check.type in _NUMBERS and check.key not in fixed:
                found.setdefault(check.key, _Held(check.source)).opened = True
        for key, held in found.items():
            held.last = key in fixed
    return found


class _Own:
    """What the user's program may set, by the classes that the guards name."""

    def __init__(self, session: Session, graphs: list[Compiled], varied: set[str]) -> None:
        self._varied = varied
        self._types = {
            check.key: check.type
            for graph in graphs
            for check in checks_of(graph.guards)
            if isinstance(check, TypeCheck)
        }
        self._paths = [path.replace("\\", "/") for path in session.sources if not is_library(path)]

    def may_set(self, source: str, key: str) -> bool:
        """Whether it is an attribute of the user's own class, or known to be scheduled."""
        if _layers(key) in self._varied or _SCHEDULED.search(key):
            return True
        if _ITEM_OF_GLOBAL.match(source) or (_CAPTURED.match(key) and not source.startswith("G[")):
            return True
        owner = _OWNER.match(key)
        if owner is None or owner["attribute"] == "training":
            return False
        module = self._types.get(owner["owner"], "").rpartition(".")[0]
        place = f"/{module.replace('.', '/')}.py"
        return module == "__main__" or (
            bool(module) and any(path.endswith(place) for path in self._paths)
        )


def _is_internal(key: str) -> bool:
    return not _CAPTURED.match(key) and any(part in key for part in _INTERNAL)


def _layers(key: str) -> str:
    """What is the same of one attribute in all layers of a model."""
    return _LAYER.sub("[]", key)


def _state(
    key: str, held: _Held, frame: Frame, causes: list[Cause], happened: Mapping[str, int]
) -> ForecastState:
    cause = causes[-1] if causes else None
    remedy = cause.remedies[0] if cause and cause.remedies else None
    return ForecastState(
        source=key,
        frame=(cause and cause.frame) or frame,
        values=tuple(held.seen),
        varied=held.varied,
        happened=sum(happened.get(one.id, 0) for one in causes),
        why=of_inputs(cause.why) if cause else "",
        remedy=remedy.text if remedy else "",
        snippet=remedy.snippet if remedy else "",
    )


def _grouped(found: list[ForecastState]) -> Iterator[ForecastState]:
    """One entry for the same attribute of the layers of a model."""
    groups: dict[tuple[object, ...], list[ForecastState]] = {}
    for item in found:
        key = (item.frame.path, item.frame.function, _layers(item.source), item.values)
        groups.setdefault(key, []).append(item)
    for alike in groups.values():
        first = max(alike, key=lambda item: item.happened)
        yield structs.replace(first, alike=len(alike) - 1)
