"""The diagnosis as JSON, in the published schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from compilescope.diagnosis import Diagnosis


def render(diagnosis: Diagnosis, /, **_options: Any) -> str:
    """The diagnosis as indented JSON; `schema/diagnosis-v1.json` describes it."""
    return msgspec.json.format(msgspec.json.encode(diagnosis), indent=2).decode()
