"""Findings joined with a run: what each cost, and what the run met that lint could not see."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import PurePath
from typing import TYPE_CHECKING

import msgspec

from compilescope.lint.own_codes import OWN_CODES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from compilescope.lint.result import Met
    from compilescope.lint.source import Source
    from compilescope.model import Finding

_BREAKS = frozenset({"raises", "eager", "split"})


def join(
    findings: Sequence[Finding], met: Sequence[Met], sources: Mapping[str, Source]
) -> tuple[list[Finding], list[Met]]:
    """The findings with times and seconds, the dearest first, and what matches none of them.

    Everything that the run met is charged to one finding: that of the same kind on its line, by
    preference the one that names its graph-break id.
    """
    charged: defaultdict[int, list[Met]] = defaultdict(list)
    missed = []
    for item in met:
        scores = [
            (_score(finding, item, sources), -index) for index, finding in enumerate(findings)
        ]
        best = max(scores, default=(0, 0))
        if best[0]:
            charged[-best[1]].append(item)
        else:
            missed.append(item)
    marked = [
        finding
        if finding.code in OWN_CODES
        else msgspec.structs.replace(
            finding,
            times=sum(item.times for item in charged[index]),
            seconds=sum(item.seconds for item in charged[index]),
        )
        for index, finding in enumerate(findings)
    ]
    marked.sort(key=lambda f: (-(f.seconds or 0.0), -(f.times or 0), f.path, f.line, f.column))
    return marked, sorted(missed, key=lambda item: (-item.seconds, -item.times, item.path))


def same_file(recorded: str, here: str) -> bool:
    """Whether both name one file, though the run may have been on another machine."""
    ours, theirs = PurePath(here).parts, PurePath(recorded.replace("\\", "/")).parts
    shared = 0
    for one, other in zip(reversed(ours), reversed(theirs), strict=False):
        if one != other:
            break
        shared += 1
    return shared >= min(2, len(ours), len(theirs))


def _score(finding: Finding, item: Met, sources: Mapping[str, Source]) -> int:
    """How well a finding explains what was met; 0 for not at all."""
    if not same_file(item.path, finding.path):
        return 0
    named = item.gb_id != "" and item.gb_id in finding.gb_ids
    if not named and (finding.severity in _BREAKS) is not (item.kind == "break"):
        return 0
    if _on_line(finding, item, sources):
        return 4 if named else 3
    if item.kind == "recompile" and _reads(finding, item, sources):
        return 2
    return 0


def _on_line(finding: Finding, item: Met, sources: Mapping[str, Source]) -> bool:
    """Whether the run stopped within the finding, also when lines above it have moved since."""
    source = sources.get(finding.path)
    if source is None:
        return finding.line <= item.line <= finding.end_line
    lines = source.lines_of(finding.cell)
    if item.code and finding.line <= len(lines):
        shown = {text.strip() for text in lines[finding.line - 1 : finding.end_line]}
        near = _function(finding) == _function(item) or not (finding.function and item.function)
        if item.code.strip() in shown and near:
            return True
        if item.line <= len(lines) and lines[item.line - 1].strip() != item.code.strip():
            return False  # the line numbers of the run are no longer those of the source
    return finding.line <= item.line <= finding.end_line


def _reads(finding: Finding, item: Met, sources: Mapping[str, Source]) -> bool:
    """Whether the value whose guard failed stands in the finding's text."""
    name = re.search(r"(\w+)\W*$", item.source)
    source = sources.get(finding.path)
    if name is None or source is None or _function(finding) != _function(item):
        return False
    text = "\n".join(source.lines_of(finding.cell)[finding.line - 1 : finding.end_line])
    return re.search(rf"\b{re.escape(name[1])}\b", text) is not None


def _function(item: Finding | Met) -> str:
    return item.function.rpartition(".")[2]
