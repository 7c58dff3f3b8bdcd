"""The diagnosis as SARIF 2.1.0: causes and breaks on the user's lines."""

from __future__ import annotations

from pathlib import PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import msgspec

from compilescope import __version__

from .alerts import alerts, is_file, relative
from .visible import visible

if TYPE_CHECKING:
    from compilescope.diagnosis import Diagnosis

    from .alerts import Alert


def render(diagnosis: Diagnosis, /, **_options: Any) -> str:
    """One run of one tool; a result has the same fingerprint in every run of the same code."""
    shown = visible(diagnosis)
    found = list(alerts(shown))
    rules = {alert.rule: alert.title for alert in found}
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "compilescope",
                        "version": __version__,
                        "rules": [
                            {"id": rule, "shortDescription": {"text": title or rule}}
                            for rule, title in rules.items()
                        ],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "results": [_result(alert, list(rules).index(alert.rule)) for alert in found],
                "properties": {"verdict": shown.verdict, "status": shown.status},
            }
        ],
    }
    return msgspec.json.format(msgspec.json.encode(log), indent=2).decode() + "\n"


def _result(alert: Alert, index: int) -> dict[str, Any]:
    known = {"secondsLost": alert.seconds, "times": alert.times}
    result: dict[str, Any] = {
        "ruleId": alert.rule,
        "ruleIndex": index,
        "level": alert.level,
        "message": {"text": alert.text},
        "partialFingerprints": {"compilescope/v1": alert.id},
        "properties": {name: value for name, value in known.items() if value is not None},
    }
    if is_file(alert.frame):
        result["locations"] = [{"physicalLocation": _location(alert)}]
    return result


def _location(alert: Alert) -> dict[str, Any]:
    region = {"startLine": alert.frame.line}
    if alert.columns:
        region |= {"startColumn": alert.columns[0], "endColumn": alert.columns[1]}
    return {"artifactLocation": {"uri": _uri(alert.frame.path)}, "region": region}


def _uri(path: str) -> str:
    inside = relative(path)
    if inside is not None:
        return quote(inside)
    # A session may come from another system than this one.
    known = PurePosixPath(path) if path.startswith("/") else PureWindowsPath(path)
    return known.as_uri() if known.is_absolute() else quote(path.replace("\\", "/"))
