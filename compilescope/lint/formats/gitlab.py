"""GitLab's code quality report."""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from compilescope.lint.formats import Style
    from compilescope.lint.result import LintResult
    from compilescope.model import Finding

LEVELS = {"raises": "critical", "eager": "major", "limit": "major", "note": "info"}


def render(result: LintResult, style: Style) -> str:
    """A list of issues; a fingerprint stays the same when the lines above change."""
    del style
    seen: Counter[str] = Counter()
    issues = []
    for finding in result.findings:
        source = result.sources.get(finding.path)
        lines = source.lines_of(finding.cell) if source else []
        text = lines[finding.line - 1].strip() if 0 < finding.line <= len(lines) else ""
        identity = f"{finding.path}\0{finding.code}\0{finding.function}\0{text}"
        seen[identity] += 1
        digest = hashlib.sha256(f"{identity}\0{seen[identity]}".encode()).hexdigest()[:32]
        issues.append(_issue(finding, digest))
    return msgspec.json.format(msgspec.json.encode(issues), indent=2).decode() + "\n"


def _issue(finding: Finding, fingerprint: str) -> dict[str, object]:
    broken = finding.code in ("CS998", "CS999")
    return {
        "check_name": finding.code,
        "description": f"{finding.code}: {finding.message}",
        "severity": "major" if broken else LEVELS.get(finding.severity, "minor"),
        "fingerprint": fingerprint,
        "location": {
            "path": finding.path,
            "positions": {
                "begin": {"line": finding.line, "column": finding.column},
                "end": {"line": finding.end_line, "column": finding.end_column},
            },
        },
    }
