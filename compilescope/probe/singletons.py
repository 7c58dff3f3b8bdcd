"""Guards on `None`, `True` and `False`, which older torch writes as guards on an id."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec.structs import replace

from compilescope.logs.guards import parse_reason
from compilescope.model import Compiled, FellBack, GuardFailure, Recompiled

if TYPE_CHECKING:
    from compilescope.model import Event

_OBJECT = re.compile(r"___check_obj_id\((?P<source>.+?), (?P<id>\d+)\)(?:, type=<class '\w+'>)?")


def named(event: Event, ids: Mapping[str, str]) -> Event:
    """`event` with the constants in its guards by their names.

    Args:
        event: What the trace told.
        ids: The name of each constant by the id that it had in the process.
    """
    if not ids:
        return event
    if isinstance(event, Compiled):
        return replace(event, guards=tuple(_written(guard, ids) for guard in event.guards))
    if isinstance(event, Recompiled | FellBack):
        return replace(event, reasons=tuple(_reason(one, ids) for one in event.reasons))
    return event


def _reason(failure: GuardFailure, ids: Mapping[str, str]) -> GuardFailure:
    text = _written(failure.raw, ids)
    if text == failure.raw:
        return failure
    found = parse_reason(text)
    return replace(found, entry=failure.entry, frame=failure.frame, hint=failure.hint)


def _written(text: str, ids: Mapping[str, str]) -> str:
    def name(match: re.Match[str]) -> str:
        constant = ids.get(match["id"])
        if constant is None:
            return match[0]
        return f"{match['source']} {'is' if constant == 'None' else '=='} {constant}"

    return _OBJECT.sub(name, text)
