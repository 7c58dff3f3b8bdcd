"""Corrections: those of all findings of a file together, again until nothing is left to correct."""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from compilescope.lint.spans import Edit, Group, compatible

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from compilescope.lint.check import Checked
    from compilescope.lint.edits import Tree
    from compilescope.lint.source import Source
    from compilescope.model import Finding

ROUNDS = 20  # a correction may uncover the next; more than a few rounds mean that it does not end


class Fixable(Protocol):
    """A rule, as far as its correction is concerned."""

    def fix(self, correction: Any) -> None:
        """Ask for edits."""
        ...


@dataclass
class Corrected:
    """The sources after all corrections, and the findings that are left."""

    sources: dict[str, Source]
    checked: Checked
    changed: set[str] = field(default_factory=set)
    fixed: Counter[str] = field(default_factory=Counter)  # code to number
    failed: set[tuple[str, str]] = field(default_factory=set)  # path and code


class Corrector:
    """Makes corrections through the rules' `fix`."""

    def __init__(self, rules: Mapping[str, Fixable]) -> None:
        self.rules = rules
        self._tree: tuple[str, Tree] | None = None

    def group(self, finding: Finding, source: Source, checked: Checked) -> Group:
        """The edits that correct a finding; none where its rule declines."""
        if finding in checked.removals:
            return Group((checked.removals[finding],))
        rule = self.rules.get(finding.code)
        if rule is None or not finding.fix:
            return Group(())
        from compilescope.lint.edits import Correction, Declined

        correction = Correction(self._tree_of(source), finding)
        try:
            rule.fix(correction)
        except Declined:
            return Group(())
        return correction.group()

    def run(
        self,
        sources: Mapping[str, Source],
        again: Callable[[Mapping[str, Source]], Checked],
        *,
        unsafe: bool,
    ) -> Corrected:
        """Correct what can be corrected; `again` looks for findings in changed sources."""
        state = Corrected(dict(sources), again(sources))
        for _ in range(ROUNDS):
            before = dict(state.sources)
            made = self._round(state, unsafe=unsafe)
            if not made:
                break
            checked = again(state.sources)
            idle = _ineffective(made, state.checked, checked)
            if idle:  # such a correction would be made again and again
                state.failed |= idle
                for path in {path for path, _ in idle}:
                    state.sources[path] = before[path]
                    made = {key: number for key, number in made.items() if key[0] != path}
                checked = again(state.sources)
            for (path, code), number in made.items():
                state.fixed[code] += number
                state.changed.add(path)
            state.checked = checked
        state.checked = _without_marks(state.checked, unsafe=unsafe)
        return state

    def _round(self, state: Corrected, *, unsafe: bool) -> dict[tuple[str, str], int]:
        wanted: dict[str, list[Finding]] = {}
        for finding in state.checked.findings:
            allowed = finding.fix == "safe" or (finding.fix == "unsafe" and unsafe)
            if allowed and (finding.path, finding.code) not in state.failed:
                wanted.setdefault(finding.path, []).append(finding)
        made: Counter[tuple[str, str]] = Counter()
        for path, findings in wanted.items():
            source = state.sources[path]
            groups = [self.group(finding, source, state.checked) for finding in findings]
            chosen = compatible(groups)
            after = _edited(source, [groups[index] for index in chosen])
            if after is None:  # one of them does not give Python: tell which, one at a time
                bad = {i for i in chosen if _edited(source, [groups[i]]) is None}
                state.failed |= {(path, findings[index].code) for index in bad}
                chosen = [index for index in chosen if index not in bad][:1]
                after = _edited(source, [groups[index] for index in chosen])
            if after is not None and after.text != source.text:
                state.sources[path] = after
                made.update((path, findings[index].code) for index in chosen)
        return dict(made)

    def _tree_of(self, source: Source) -> Tree:
        from compilescope.lint.edits import Tree

        if self._tree is None or self._tree[0] != source.text:
            self._tree = (source.text, Tree(source.text))
        return self._tree[1]


def _without_marks(checked: Checked, *, unsafe: bool) -> Checked:
    """The findings that are left: what was not corrected now will not be the next time either."""
    tried = ("safe", "unsafe") if unsafe else ("safe",)
    left = tuple(
        msgspec.structs.replace(f, fix="") if f.fix in tried else f for f in checked.findings
    )
    return replace(checked, findings=left)


def _edited(source: Source, groups: Sequence[Group]) -> Source | None:
    """The source with the edits of `groups`; None where the result is not Python."""
    edits: list[Edit] = [edit for group in groups for edit in group.edits]
    after = source.edited(edits)
    try:
        ast.parse(after.text)
    except (SyntaxError, ValueError):
        return None
    return after


def _ineffective(
    made: Mapping[tuple[str, str], int], before: Checked, after: Checked
) -> set[tuple[str, str]]:
    """Path and code of corrections after which there are as many such findings as before."""
    old, new = (Counter((f.path, f.code) for f in one.findings) for one in (before, after))
    return {key for key in made if new[key] >= old[key]}
