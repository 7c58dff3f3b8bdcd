"""What a rule is, and the facts that the engine shows it."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from compilescope.lint.values import ASSUMED, DECLARED, UNKNOWN, Value, alternatives, is_tensor
from compilescope.lint.versions import NEWEST, OLDEST, Versions, holds

__all__ = ["NEWEST", "OLDEST", "Versions", "holds"]  # rules take them from here, too

if TYPE_CHECKING:
    from compilescope.lint.edits import Correction
    from compilescope.lint.frames import Frame
    from compilescope.lint.index import Function, Module
    from compilescope.lint.machine import Machine

Severity = Literal["raises", "eager", "limit", "split", "bounded", "note"]
Certainty = Literal["certain", "likely", "possible"]

SEVERITIES: tuple[Severity, ...] = ("raises", "eager", "limit", "split", "bounded", "note")


@dataclass
class Site:
    """Where a fact was met: the function, how it is compiled, what surrounds the statement."""

    module: Module
    function: Function | None = None
    compiled: bool = False
    fullgraph: bool = False
    loops: int = 0
    blocks: int = 0  # `with` and `try` around it
    guarded: int = 0  # `try` around it that catches something
    init: bool = False
    rare: int = 0  # tests around it that hardly any run passes
    open: int = 0  # tests around it about the size or type of something: either way is as likely
    catches: tuple[str, ...] = ()  # exceptions that `try` statements around it handle
    born: dict[str, int] = field(default_factory=dict)  # names: the breaks before their binding
    entering: bool = False  # the next function to run is what was compiled
    assumed: bool = False  # nothing compiles it in what is linted; it may be compiled elsewhere
    root: bool = False  # this function is what was compiled: its parameters are the inputs


@dataclass(slots=True)
class Fact:
    """Something the engine met in a function, with the kinds of the values that take part.

    Keys: "branch", "call:DOTTED.NAME", "attribute:DOTTED.NAME", "index", "store-index",
    "store-attribute", "store-global", "mutate", "iterate", "format", "with", "import", "class",
    "function", "compile", "compare", "assert", "operator".
    """

    key: str
    node: ast.AST
    site: Site
    machine: Machine
    frame: Frame
    epoch: int = 0  # how many breaks the run has met before
    value: Value = UNKNOWN  # what is tested, called on, iterated, indexed or stored into
    other: Value = UNKNOWN  # the index, the stored value
    arguments: tuple[Value, ...] = ()
    keywords: Mapping[str, Value] = field(default_factory=dict)
    detail: str = ""  # the construct, the attribute's name, the operator
    extra: Any = None

    @property
    def name(self) -> str:
        """The dotted name in the key of a call or attribute."""
        return self.key.partition(":")[2]

    def argument(self, position: int, keyword: str = "") -> Value | None:
        """An argument of a call by position or keyword."""
        if keyword and keyword in self.keywords:
            return self.keywords[keyword]
        return self.arguments[position] if len(self.arguments) > position >= 0 else None

    def kept(self) -> Fact:
        """The fact with its surroundings as they are now."""
        found = copy.copy(self)
        found.site = copy.copy(self.site)
        return found

    def value_of(self, node: ast.expr) -> Value:
        """The kind of another expression at the same place."""
        return self.machine.peek(self.frame, node)


@dataclass(slots=True)
class Report:
    """What a rule says about a fact; empty fields come from the rule."""

    message: str = ""
    node: ast.AST | None = None
    severity: Severity | None = None
    certainty: Certainty | None = None
    help: str = ""
    reason: str = ""
    gb_ids: tuple[str, ...] | None = None
    fix: Literal["", "safe", "unsafe"] = ""
    exact: bool = False  # the severity holds wherever the statement stands
    at: Fact | None = None  # an earlier fact that this one shows to be wrong


class Rule:
    """One thing that `lint` can find. A subclass in `rules/<name>/rule.py` is all it takes."""

    code: ClassVar[str]
    name: ClassVar[str]
    summary: ClassVar[str]  # one line for lists
    facts: ClassVar[tuple[str, ...]]  # keys of the facts that it wants
    reason: ClassVar[str] = ""  # what the compiler does
    help: ClassVar[str] = ""  # what to write instead
    severity: ClassVar[Severity] = "split"
    certainty: ClassVar[Certainty] = "certain"
    since: ClassVar[tuple[int, int]] = OLDEST  # first and last torch minor version it holds for
    until: ClassVar[tuple[int, int]] = (99, 0)
    gb_ids: ClassVar[tuple[str, ...]] = ()
    fixable: ClassVar[Literal["", "safe", "unsafe"]] = ""
    everywhere: ClassVar[bool] = False  # also looks at code that is not compiled
    pedantic: ClassVar[bool] = False  # off unless asked for
    captured: ClassVar[bool] = False  # fullgraph=True puts it into the graph, as a symbolic number

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Say what is wrong with a fact, if anything."""
        raise NotImplementedError

    def fix(self, correction: Correction) -> None:
        """Ask `correction` (edits.py says how) for edits, or decline where conditions fail."""
        correction.decline("this rule has no fix")


class CallRule(Rule):
    """A rule about calls of functions outside the tree, listed by dotted name.

    `names` maps a dotted name to the torch versions for which it holds: "" for all, "<2.14",
    ">=2.12", "2.11..2.13".
    """

    names: ClassVar[Mapping[str, str]] = {}
    message: ClassVar[str] = "`{name}` in compiled code"
    reports: ClassVar[bool] = False  # what it calls tells of something unusual, as often as not

    def __init_subclass__(cls) -> None:
        """Subscribe to the names."""
        if cls.names:
            cls.facts = tuple(f"call:{name}" for name in cls.names)

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the call where the versions and the rule's own condition agree."""
        if holds(self.names.get(fact.name, ""), target) and self.applies(fact):
            fix = self.fixable if self.fixable and self.can_fix(fact) else ""
            certainty: Certainty | None = "possible" if self.reports and fact.site.open else None
            yield Report(self.message.format(name=shown(fact)), certainty=certainty, fix=fix)

    def applies(self, fact: Fact) -> bool:
        """Whether this call is one that breaks."""
        del fact
        return True

    def can_fix(self, fact: Fact) -> bool:
        """Whether what the fix needs is shown here."""
        del fact
        return True


class GuardedCall(CallRule):
    """A rule about calls that only report something: compiled code can go without them.

    The fix puts a statement that is such a call, and no more, under a test for compilation.
    """

    fixable = "safe"
    reports = True
    kept: ClassVar[frozenset[str]] = frozenset()  # names that compiled code may not skip

    def can_fix(self, fact: Fact) -> bool:
        """The call is a statement, and its arguments only read."""
        from compilescope.lint.surroundings import is_statement, only_reads, spans_strings

        call = fact.node
        if not isinstance(call, ast.Call) or fact.name in self.kept:
            return False
        return is_statement(fact) and only_reads(call) and not spans_strings(fact)

    def fix(self, correction: Correction) -> None:
        """Guard the statement."""
        test = f"not {correction.name('torch.compiler.is_compiling')}()"
        correction.guard(correction.statement(), test)


def shown(fact: Fact) -> str:
    """The callee as people write it."""
    name = fact.name
    for prefix, short in _SHORT:
        if name.startswith(prefix):
            return short + name[len(prefix) :]
    return name


_SHORT = (
    ("builtins.", ""),
    ("torch.Tensor.", "Tensor."),
    ("torch.nn.functional.", "F."),
    ("logging.Logger.", "Logger."),
)


def worst(*certainties: Certainty | None) -> Certainty | None:
    """The least sure of several."""
    order = ("certain", "likely", "possible")
    known = [c for c in certainties if c is not None]
    return max(known, key=order.index) if len(known) == len(certainties) else None


def header(node: ast.AST) -> ast.AST:
    """The first line of a definition, to be reported instead of its whole body."""
    place = ast.Name(getattr(node, "name", ""), ast.Load())
    place.lineno = place.end_lineno = node.lineno  # type: ignore[attr-defined]
    place.col_offset = node.col_offset  # type: ignore[attr-defined]
    place.end_col_offset = place.col_offset + 1
    return place


def certainty_of(value: Value) -> Certainty | None:
    """How sure it is that a value is tensor data; None where it is not known to be."""
    if value.kind == "ndarray":
        return "likely"  # arrays are traced as tensors
    tensors = [v for v in alternatives(value) if v.kind == "tensor"]
    if not tensors:
        return None
    if not is_tensor(value):
        return "possible"
    if any(v.note & DECLARED for v in tensors):
        return "possible"
    return "likely" if any(v.note & ASSUMED for v in tensors) else "certain"
