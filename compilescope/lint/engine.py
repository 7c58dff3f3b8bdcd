"""`lint`: from source to findings."""

from __future__ import annotations

import ast
import gc
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec

from compilescope.lint.index import Module
from compilescope.lint.loader import load_rules
from compilescope.lint.machine import Machine
from compilescope.lint.project import Project
from compilescope.lint.regions import Regions
from compilescope.lint.rule import NEWEST, Fact, Report, Rule, Severity, Versions
from compilescope.lint.surroundings import decides_on_captured
from compilescope.model import Finding

__all__ = ["Project", "lint_project", "lint_source", "load_rules"]

URL = "https://github.com/compilescope/compilescope/tree/main/rules/"
_RAISED: dict[Severity, Severity] = {
    "eager": "raises",
    "split": "raises",
    "limit": "raises",
}


def lint_source(
    source: str,
    path: str = "<stdin>",
    *,
    rules: Iterable[type[Rule]] | None = None,
    target_torch: Versions | tuple[int, int] | None = None,
    compiled: Sequence[str] = (),
    pedantic: bool = False,
    follow: bool = True,
) -> list[Finding]:
    """Lint one text, as an editor or a pipe gives it.

    Raises:
        SyntaxError: the text is not Python.
    """
    project = Project({path: source}, follow=follow)
    findings = lint_project(
        project, rules=rules, target_torch=target_torch, compiled=compiled, pedantic=pedantic
    )
    if path in project.errors:
        raise project.errors[path]
    return findings


def lint_project(
    project: Project,
    *,
    rules: Iterable[type[Rule]] | None = None,
    target_torch: Versions | tuple[int, int] | None = None,
    compiled: Sequence[str] = (),
    paths: Iterable[str] | None = None,
    pedantic: bool = False,
) -> list[Finding]:
    """Findings of all linted files, in the order of path and line.

    Args:
        project: the sources; files that do not parse are left in `project.errors`.
        rules: rule classes to apply; all installed ones where None.
        target_torch: a minor version `(2, 13)` or a range of two; the newest known where None.
        compiled: what is compiled from elsewhere: `package.module:name`, `path.py:name`, `name`,
            and `name()` for what a factory returns.
        paths: report only on these files; all sources of the project where None.
        pedantic: also report what is only possible.
    """
    collector = Collector(rules if rules is not None else load_rules(), target_torch, pedantic)
    wanted_paths = set(project.sources if paths is None else paths)
    machine = Machine(project, collector, collector.wanted, collector.wanted_outside)
    collector.paths = wanted_paths
    collector.machine = machine
    with _deep_recursion(), _no_collection():
        Regions(machine, wanted_paths, compiled).run()
    return collector.sorted()


@contextmanager
def _deep_recursion() -> Iterator[None]:
    """Calls nest: the machine recurses where the program does."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, 20000))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


@contextmanager
def _no_collection() -> Iterator[None]:
    """Syntax trees are many objects and no garbage: collecting among them doubles the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def target_range(target: Versions | tuple[int, int] | None) -> Versions:
    """The targeted versions as a range."""
    if target is None:
        return (NEWEST, NEWEST)
    first = target[0]
    if isinstance(first, tuple):
        return target  # type: ignore[return-value]
    one: Any = target
    return (one, one)


class Collector:
    """Shows facts to rules and keeps what they report, once for each place."""

    def __init__(
        self,
        rules: Iterable[type[Rule]],
        target: Versions | tuple[int, int] | None,
        pedantic: bool,
    ) -> None:
        self.target = target_range(target)
        self.pedantic = pedantic
        self.paths: set[str] = set()
        self.machine: Machine | None = None
        self.found: dict[tuple[str, int, int, str], Finding] = {}
        self.unfixable: set[tuple[tuple[str, int, int, str], str]] = set()
        self.elsewhere: set[tuple[str, ast.AST, str, str]] = set()  # facts of uncompiled code
        self.facts: dict[tuple[str, int, int, str], Fact] = {}  # of what is found
        self.rules: dict[str, list[Rule]] = {}
        self.rules_outside: dict[str, list[Rule]] = {}
        for kind in rules:
            if kind.pedantic and not pedantic:
                continue
            if kind.since <= self.target[1] and kind.until >= self.target[0]:
                rule = kind()
                for key in kind.facts:
                    self.rules.setdefault(key, []).append(rule)
                    if rule.everywhere:
                        self.rules_outside.setdefault(key, []).append(rule)
        self.wanted = frozenset(self.rules)
        self.wanted_outside = frozenset(
            key
            for key, found in self.rules.items()
            if any(rule.everywhere or rule.fixable == "unsafe" for rule in found)
        )

    def __call__(self, fact: Fact) -> None:
        """Let the rules see a fact."""
        if fact.site.module.path not in self.paths:
            return
        compiled = fact.site.compiled
        for rule in (self.rules if compiled else self.rules_outside).get(fact.key, ()):
            fixed = False
            for report in rule.check(fact, self.target):
                if rule.captured and fact.site.fullgraph and not decides_on_captured(fact):
                    continue
                self._keep(rule, report.at or fact, report)
                fixed = fixed or bool(report.fix)
            if rule.fixable == "unsafe" and not fixed:
                # another call reaches the same code with other values: no fix is right for both
                self.unfixable.add((_place(fact.node, fact, rule), fact.detail))
        if not compiled:
            self.elsewhere.add((fact.site.module.path, fact.node, fact.key, fact.detail))

    def _keep(self, rule: Rule, fact: Fact, report: Report) -> None:
        certainty = "possible" if fact.site.rare else report.certainty or rule.certainty
        node: Any = report.node if report.node is not None else fact.node
        if not hasattr(node, "lineno"):
            return
        module = fact.site.module
        severity = _severity(rule, fact, report)
        if self.machine is not None and fact.site.compiled:
            self.machine.breaks += severity in ("raises", "eager", "split")
        key = _place(node, fact, rule)
        if certainty == "possible" and not self.pedantic:
            return
        old = self.found.get(key)
        if old is not None and not _stronger(certainty, old.certainty):
            return
        self.facts[key] = fact
        self.found[key] = Finding(
            path=module.path,
            line=node.lineno,
            column=_column(module, node.lineno, node.col_offset),
            end_line=node.end_lineno,
            end_column=_column(module, node.end_lineno, node.end_col_offset),
            code=rule.code,
            name=rule.name,
            message=report.message or rule.summary,
            function=fact.site.function.qualname if fact.site.function is not None else "",
            severity=severity,
            certainty=certainty,
            url=f"{URL}{type(rule).__module__.rpartition('.')[0].rpartition('.')[2]}",
            reason=report.reason or rule.reason,
            help=report.help or rule.help,
            fix=report.fix,
            gb_ids=rule.gb_ids if report.gb_ids is None else report.gb_ids,
        )

    def sorted(self) -> list[Finding]:
        """The findings in reading order."""
        for key, fact in self.facts.items():
            found = self.found[key]
            place = (found.path, fact.node, fact.key, fact.detail)
            outside = fact.site.compiled and found.fix == "unsafe" and place in self.elsewhere
            if (key, fact.detail) in self.unfixable or outside:
                self.found[key] = msgspec.structs.replace(found, fix="")
        return sorted(self.found.values(), key=lambda f: (f.path, f.line, f.column, f.code))


def _place(node: Any, fact: Fact, rule: Rule) -> tuple[str, int, int, str]:
    line, column = getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
    return (fact.site.module.path, line, column, rule.code)


def _stronger(certainty: str, old: str) -> bool:
    order = ("possible", "likely", "certain")
    return order.index(certainty) > order.index(old)


def _severity(rule: Rule, fact: Fact, report: Report) -> Severity:
    """The consequence: a break inside a loop, `with` or `try` loses the whole frame."""
    severity = report.severity or rule.severity
    site = fact.site
    if severity == "split" and not report.exact and (site.loops or site.blocks):
        severity = "eager"
    return _RAISED.get(severity, severity) if site.fullgraph else severity


def _column(module: Module, line: int, offset: int) -> int:
    """Columns in characters, from 1; `ast` counts UTF-8 bytes from 0."""
    text = module.lines[line - 1] if 0 < line <= len(module.lines) else ""
    return (
        offset + 1 if text.isascii() else len(text.encode()[:offset].decode(errors="replace")) + 1
    )


def parse(source: str) -> ast.Module:
    """Parse a text as the engine does."""
    return ast.parse(source)


Sources = Mapping[str, str]
