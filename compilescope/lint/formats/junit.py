"""JUnit XML: a suite a file, a failed case a finding."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

if TYPE_CHECKING:
    from compilescope.lint.formats import Style
    from compilescope.lint.result import LintResult
    from compilescope.model import Finding

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(result: LintResult, style: Style) -> str:
    """All suites; a single passed case where nothing was found, since some servers want one."""
    del style
    number = len(result.findings)
    suites = []
    ordered = sorted(result.findings, key=lambda finding: finding.path)
    for path, findings in groupby(ordered, key=lambda finding: finding.path):
        suites.append(_suite(path, list(findings)))
    if not suites:
        suites.append(
            '    <testsuite name="compilescope" tests="1" skipped="0" errors="0" failures="0">\n'
            '        <testcase name="No findings" classname="compilescope"/>\n'
            "    </testsuite>\n"
        )
    total = number or 1
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<testsuites name="compilescope" tests="{total}" skipped="0" failures="{number}"'
        ' errors="0">\n' + "".join(suites) + "</testsuites>\n"
    )


def _suite(path: str, findings: list[Finding]) -> str:
    number = len(findings)
    cases = []
    for finding in findings:
        where = f"line {finding.line}, col {finding.column}"
        if finding.cell is not None:
            where = f"cell {finding.cell}, {where}"
        said = [finding.message, finding.reason, finding.help]
        body = "\n".join([f"{where}, {said[0]}", *(text for text in said[1:] if text)])
        cases.append(
            f"        <testcase name={_attribute(finding.code)}"
            f" classname={_attribute(path.removesuffix('.py'))}"
            f' line="{finding.line}" column="{finding.column}">\n'
            f"            <failure message={_attribute(finding.message)}"
            f" type={_attribute(finding.severity)}>{escape(_clean(body))}</failure>\n"
            "        </testcase>\n"
        )
    return (
        f'    <testsuite name={_attribute(path)} tests="{number}" skipped="0" errors="0"'
        f' failures="{number}">\n' + "".join(cases) + "    </testsuite>\n"
    )


def _attribute(text: str) -> str:
    return quoteattr(_clean(text))


def _clean(text: str) -> str:
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)
