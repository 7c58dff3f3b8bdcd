"""The diagnosis as annotations of GitHub Actions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .alerts import alerts, is_file, relative
from .visible import visible

if TYPE_CHECKING:
    from compilescope.diagnosis import Diagnosis

    from .alerts import Alert

_LEVELS = {"note": "notice"}


def render(diagnosis: Diagnosis, /, **_options: Any) -> str:
    """One workflow command a cause, graph break and fallback, and one for the verdict."""
    shown = visible(diagnosis)
    level = {"clean": "notice", "failed": "error"}.get(shown.status, "warning")
    said = f"{shown.verdict} {shown.recovery}".strip()
    lines = [f"::{level} title=compilescope::{_data(said)}", *map(_command, alerts(shown))]
    return "\n".join(lines) + "\n"


def _command(alert: Alert) -> str:
    properties = {"title": f"compilescope ({alert.rule})"}
    path = relative(alert.frame.path) if is_file(alert.frame) else None
    if path is not None:
        properties |= {"file": path, "line": str(alert.frame.line)}
        if alert.columns:
            properties |= {"col": str(alert.columns[0]), "endColumn": str(alert.columns[1])}
    listed = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    # Where the file is not in the checkout, the place is all that says where.
    at = "" if path else f"{alert.frame.path}:{alert.frame.line}: "
    return f"::{_LEVELS.get(alert.level, alert.level)} {listed}::{_data(at + alert.text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
