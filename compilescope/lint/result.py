"""What one `lint` found, with all that a format needs to show it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from compilescope.lint.source import Source
    from compilescope.lint.spans import Edit
    from compilescope.model import Finding

SEVERITIES = ("raises", "eager", "limit", "split", "bounded", "note")  # worst first
CONSEQUENCES = {
    "raises": "raises when compiled",
    "eager": "the whole function runs eagerly",
    "limit": "recompiles up to the limit, then runs eagerly",
    "split": "splits the graph",
    "bounded": "recompiles a few times",
    "note": "",
}


@dataclass(frozen=True)
class Met:
    """A graph break or a cause of recompiles that a run met."""

    kind: Literal["break", "recompile"]
    path: str
    line: int
    what: str
    times: int
    seconds: float
    function: str = ""
    code: str = ""  # the source line, where the session has it
    source: str = ""  # of a recompile: the value whose guard failed
    gb_id: str = ""


@dataclass(frozen=True)
class RuleInfo:
    """What a format says about a rule."""

    code: str
    name: str
    summary: str
    url: str = ""


@dataclass(frozen=True)
class LintResult:
    """The findings, sorted, and what was done about others."""

    findings: tuple[Finding, ...] = ()
    sources: Mapping[str, Source] = field(default_factory=dict)  # by Finding.path
    rules: Mapping[str, RuleInfo] = field(default_factory=dict)
    files: int = 0
    fixed: Mapping[str, int] = field(default_factory=dict)  # code to how many were corrected
    hidden: int = 0  # findings that the baseline knows
    gone: int = 0  # entries of the baseline that nothing matches any more
    joined: str = ""  # the session that the findings were joined with
    missed: tuple[Met, ...] = ()
    named: frozenset[str] = frozenset()  # of the names in `compiled`: those that were found
    edits: Callable[[Finding], tuple[Edit, ...]] = lambda _: ()
    original: Callable[[Finding], Finding] = lambda finding: finding  # lines of the whole text

    def fixable(self, *, unsafe: bool) -> list[Finding]:
        """The findings whose correction is safe, or unsafe."""
        return [f for f in self.findings if f.fix == ("unsafe" if unsafe else "safe")]
