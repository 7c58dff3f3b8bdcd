"""A small engine and small rules, so that these tests show the command line and not the rules."""

from __future__ import annotations

import ast
import gc
import io
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import pytest

from compilescope import cli
from compilescope.lint import analysis, registry
from compilescope.lint.check import Analysis
from compilescope.lint.rule import Rule
from compilescope.model import Finding

GOLDEN = Path(__file__).parents[1] / "golden" / "lint"


class PrintCall(Rule):
    code = "CS110"
    name = "print-call"
    summary = "`print` in compiled code"
    facts = ()
    reason = "The compiler cannot put this call into a graph, so it ends the graph here."
    help = "guard it with `if not torch.compiler.is_compiling():`"
    gb_ids = ("GB0059",)
    fixable = "safe"

    def fix(self, correction):
        test = f"not {correction.name('torch.compiler.is_compiling')}()"
        correction.guard(correction.statement(), test)


class Branch(Rule):
    code = "CS101"
    name = "data-dependent-branch"
    summary = "Python decides on the value of a tensor"
    facts = ()
    severity = "eager"
    gb_ids = ("GB0170",)


class Item(Rule):
    code = "CS120"
    name = "tensor-item"
    summary = "`.item()` turns tensor data into a Python number"
    facts = ()
    help = "keep the value as a tensor"
    gb_ids = ("GB0124",)
    fixable = "unsafe"

    def fix(self, correction):
        correction.replace(correction.node, correction.text(correction.node.func.value))


class Counter(Rule):
    code = "CS201"
    name = "module-counter"
    summary = "a counter on a module"
    facts = ()
    severity = "limit"
    certainty = "likely"


STUBS = {rule.code: rule() for rule in (Branch, PrintCall, Item, Counter)}


@dataclass
class StubEngine:
    """Finds calls of `print` outside of an `is_compiling` guard, `.item()`, `if`, `+=`."""

    calls: int = 0

    def __call__(self, sources, settings):
        self.calls += 1
        findings, errors = [], {}
        for path, text in sources.items():
            try:
                tree = ast.parse(text)
            except SyntaxError as error:
                errors[path] = error
                continue
            for node in ast.walk(tree):
                node.guarded = getattr(node, "guarded", False)
                test = ast.unparse(node.test) if isinstance(node, ast.If) else ""
                guards = "is_compiling" in test or "not ic()" in test
                for child in ast.iter_child_nodes(node):
                    child.guarded = node.guarded or guards
                code, where = _code(node)
                if code and not (node.guarded and code == "CS110") and not guards:
                    findings.append(_finding(path, text, where, STUBS[code]))
        return Analysis(findings, errors, ())


def _code(node):
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
        return "CS110", node
    if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "item":
        return "CS120", node
    if isinstance(node, ast.If):
        return "CS101", node.test
    if isinstance(node, ast.AugAssign):
        return "CS201", node
    return "", node


def _finding(path, text, node, rule):
    def column(line, offset):
        return len(text.splitlines()[line - 1].encode()[:offset].decode()) + 1

    return Finding(
        path=path,
        line=node.lineno,
        column=column(node.lineno, node.col_offset),
        end_line=node.end_lineno,
        end_column=column(node.end_lineno, node.end_col_offset),
        code=rule.code,
        name=rule.name,
        message=rule.summary,
        function="Net.forward",
        severity=rule.severity,
        certainty=rule.certainty,
        reason=rule.reason,
        help=rule.help,
        fix=rule.fixable,
        gb_ids=rule.gb_ids,
    )


class Outcome(NamedTuple):
    code: int
    out: str
    err: str

    def lines(self):
        return self.out.splitlines()


@pytest.fixture
def engine(monkeypatch):
    stub = StubEngine()
    monkeypatch.setattr(
        analysis, "analyse_groups", lambda groups, settings: [stub(g, settings) for g in groups]
    )
    monkeypatch.setattr(registry, "rules", lambda: STUBS)
    known = {code: registry.described(rule) for code, rule in STUBS.items()}
    monkeypatch.setattr(registry, "known", lambda: known)
    monkeypatch.setattr(registry, "identity", lambda: "stub")
    return stub


@pytest.fixture
def project(tmp_path, monkeypatch):
    """An empty folder, entered."""
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / ".git").mkdir()

    def write(name, text="", **kwargs):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(text, bytes):
            path.write_bytes(text)
        else:
            path.write_text(text, encoding="utf-8", newline="", **kwargs)
        return path

    return SimpleNamespace(path=tmp_path, write=write)


@pytest.fixture
def compilescope(capsysbinary, monkeypatch):
    """Runs the command line in this process: exit code, stdout and stderr."""

    def run(*arguments, stdin=b""):
        monkeypatch.setattr(sys, "argv", ["compilescope", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        with pytest.raises(SystemExit) as ended:
            cli.main()
        gc.enable()
        out, err = capsysbinary.readouterr()
        return Outcome(int(ended.value.code or 0), out.decode(), err.decode())

    return run


@pytest.fixture
def lint(engine, compilescope):
    """`compilescope lint` with the small engine."""

    def run(*arguments, stdin=b""):
        return compilescope("lint", *arguments, stdin=stdin)

    return run


@pytest.fixture
def golden():
    """Compares with a file of tests/golden/lint; UPDATE_GOLDEN=1 writes it, to be read then."""

    def compare(name, text):
        path = GOLDEN / name
        if os.environ.get("UPDATE_GOLDEN"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8")

    return compare
