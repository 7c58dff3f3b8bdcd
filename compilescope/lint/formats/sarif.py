"""SARIF 2.1.0, as GitHub code scanning reads it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import msgspec

from compilescope import __version__
from compilescope.lint.formats.github import level
from compilescope.lint.formats.json_array import replacements

if TYPE_CHECKING:
    from compilescope.lint.formats import Style
    from compilescope.lint.result import LintResult, RuleInfo
    from compilescope.model import Finding

_LEVELS = {"notice": "note"}


def render(result: LintResult, style: Style) -> str:
    """One run of one tool."""
    del style
    codes = sorted({finding.code for finding in result.findings})
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "compilescope",
                        "version": __version__,
                        "rules": [_rule(code, result) for code in codes],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "originalUriBaseIds": {"ROOT": {"uri": Path.cwd().as_uri() + "/"}},
                "results": [_result(f, codes.index(f.code), result) for f in result.findings],
            }
        ],
    }
    return msgspec.json.format(msgspec.json.encode(log), indent=2).decode() + "\n"


def _rule(code: str, result: LintResult) -> dict[str, Any]:
    info: RuleInfo | None = result.rules.get(code)
    rule: dict[str, Any] = {"id": code}
    if info is not None:
        rule |= {"name": info.name, "shortDescription": {"text": info.summary}}
        if info.url:
            rule["helpUri"] = info.url
    return rule


def _result(finding: Finding, index: int, result: LintResult) -> dict[str, Any]:
    kind = level(finding)
    said = [finding.message, finding.reason, finding.help]
    entry: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": _LEVELS.get(kind, kind),
        "message": {"text": "\n".join(text for text in said if text)},
        "locations": [_location(finding)],
        "properties": {"severity": finding.severity, "certainty": finding.certainty},
    }
    edits = replacements(finding, result) if finding.fix and finding.cell is None else []
    if edits:
        entry["fixes"] = [_fix(finding, edits)]
    return entry


def _location(finding: Finding) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": _artifact(finding.path)}
    if finding.cell is None:  # the lines of a cell are not lines of the file
        place["region"] = {
            "startLine": finding.line,
            "startColumn": finding.column,
            "endLine": finding.end_line,
            "endColumn": finding.end_column,
        }
    return {"physicalLocation": place}


def _artifact(path: str) -> dict[str, str]:
    if os.path.isabs(path):
        return {"uri": Path(path).as_uri()}
    return {"uri": quote(path.replace(os.sep, "/")), "uriBaseId": "ROOT"}


def _fix(finding: Finding, edits: list[dict[str, Any]]) -> dict[str, Any]:
    changes = [
        {
            "deletedRegion": {
                "startLine": edit["location"]["row"],
                "startColumn": edit["location"]["column"],
                "endLine": edit["end_location"]["row"],
                "endColumn": edit["end_location"]["column"],
            },
            "insertedContent": {"text": edit["content"]},
        }
        for edit in edits
    ]
    return {
        "description": {"text": finding.help or "Fix"},
        "artifactChanges": [{"artifactLocation": _artifact(finding.path), "replacements": changes}],
    }
