"""The linted tree: modules, the names they define, classes with their bases, functions."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(eq=False)
class Function:
    """A function, method or lambda of the tree."""

    node: FunctionNode
    module: Module
    name: str
    owner: Class | None = None
    outer: str = ""  # qualified name of what encloses it

    @property
    def qualname(self) -> str:
        """Dotted name inside the module."""
        return f"{self.outer}.{self.name}" if self.outer else self.name

    @cached_property
    def decorators(self) -> list[ast.expr]:
        """The decorator expressions."""
        return getattr(self.node, "decorator_list", [])

    @cached_property
    def inner(self) -> list[ast.FunctionDef]:
        """The functions that it defines: a decorator returns one of them."""
        return [n for n in own_statements(self.node) if isinstance(n, ast.FunctionDef)]

    @cached_property
    def wraps(self) -> bool:
        """Whether it defines a function that takes whatever it is called with."""
        return any(
            isinstance(n, ast.FunctionDef) and n.args.vararg and n.args.kwarg
            for n in ast.walk(self.node)
        )

    @cached_property
    def compiles(self) -> bool:
        """Whether it calls torch.compile, or marks inputs for it under some condition."""
        if not self.module.names_compile:
            return False
        body = self.node.body if isinstance(self.node.body, list) else [self.node.body]
        found = ((part, n) for part in body for n in descend(part) if isinstance(n, ast.Attribute))
        return any(
            (n.attr.endswith("mark_dynamic") and not isinstance(part, ast.Expr))
            or (n.attr == "compile" and isinstance(n.value, ast.Name) and n.value.id == "torch")
            for part, n in found
        )

    @cached_property
    def parameters(self) -> list[tuple[str, ast.expr | None, ast.expr | None]]:
        """Name, annotation and default of each parameter."""
        spec = self.node.args
        positional = [*spec.posonlyargs, *spec.args]
        defaults: list[ast.expr | None] = [None] * (len(positional) - len(spec.defaults))
        defaults += spec.defaults
        pairs = [*zip(positional, defaults, strict=True)]
        pairs += zip(spec.kwonlyargs, spec.kw_defaults, strict=True)
        return [(argument.arg, argument.annotation, default) for argument, default in pairs]

    @cached_property
    def stored(self) -> frozenset[str]:
        """Attributes of its object that the method assigns."""
        arguments = self.node.args.posonlyargs + self.node.args.args
        if not arguments or isinstance(self.node, ast.Lambda):
            return frozenset()
        return frozenset(name for name, _ in _stores(self.node, arguments[0].arg))

    @cached_property
    def is_small(self) -> bool:
        """Whether running it again costs next to nothing."""
        end = self.node.end_lineno or self.node.lineno
        return end - self.node.lineno < 12 or bool(self.inner)

    @cached_property
    def globals(self) -> frozenset[str]:
        """Names it declares global."""
        return self._declared(ast.Global) if self.module.has_global else frozenset()

    @cached_property
    def nonlocals(self) -> frozenset[str]:
        """Names it declares nonlocal."""
        return self._declared(ast.Nonlocal) if self.module.has_nonlocal else frozenset()

    def _declared(self, kind: type[ast.Global | ast.Nonlocal]) -> frozenset[str]:
        found = (n.names for n in own_statements(self.node) if isinstance(n, kind))
        return frozenset(name for names in found for name in names)


@dataclass(eq=False)
class Class:
    """A class of the tree."""

    node: ast.ClassDef
    module: Module
    name: str
    outer: str = ""
    methods: dict[str, Function] = field(default_factory=dict)
    attributes: dict[str, ast.expr] = field(default_factory=dict)
    annotations: dict[str, ast.expr] = field(default_factory=dict)

    @property
    def qualname(self) -> str:
        """Dotted name inside the module."""
        return f"{self.outer}.{self.name}" if self.outer else self.name

    @cached_property
    def stored(self) -> dict[str, list[tuple[str, ast.stmt]]]:
        """Attributes of self that methods assign: the method and the statement."""
        found: dict[str, list[tuple[str, ast.stmt]]] = {}
        for name, method in self.methods.items():
            arguments = method.node.args.posonlyargs + method.node.args.args
            if arguments:
                for attribute, statement in _stores(method.node, arguments[0].arg):
                    found.setdefault(attribute, []).append((name, statement))
        return found


@dataclass(eq=False)
class Module:
    """A source file of the tree."""

    path: str
    text: str
    tree: ast.Module
    package: tuple[str, ...] = ()  # the dotted path of the package that holds it
    definitions: dict[str, list[Definition]] = field(default_factory=dict)
    stars: list[tuple[int, str]] = field(default_factory=list)

    @cached_property
    def lines(self) -> list[str]:
        """Source lines."""
        return self.text.splitlines()

    @cached_property
    def set_attributes(self) -> frozenset[str]:
        """Attributes that something in it assigns, of whatever object."""
        return frozenset(_SET_ATTRIBUTE.findall(self.text))

    @cached_property
    def names_compile(self) -> bool:
        """Whether `torch.compile`, or what marks inputs for it, is written in it."""
        return "torch.compile" in self.text or "mark_dynamic" in self.text

    @cached_property
    def has_global(self) -> bool:
        """Whether a `global` statement may be in it: most files have none."""
        return _GLOBAL.search(self.text) is not None

    @cached_property
    def has_nonlocal(self) -> bool:
        """Whether a `nonlocal` statement may be in it."""
        return _NONLOCAL.search(self.text) is not None

    @cached_property
    def changed_globals(self) -> frozenset[str]:
        """Module names that some function rebinds."""
        if not self.has_global:
            return frozenset()
        found = (n.names for n in descend(self.tree) if isinstance(n, ast.Global))
        return frozenset(name for names in found for name in names)


@dataclass(frozen=True, eq=False)
class Import:
    """`import a.b` (attribute empty) or `from a.b import attribute`."""

    level: int
    name: str
    attribute: str = ""


Definition = Import | Class | Function | ast.expr


_SET_ATTRIBUTE = re.compile(r"\.(\w+)\s*(?:[-+*/|&]|//)?=(?!=)")
_GLOBAL = re.compile(r"global[ \t]+\w+[ \t]*(?:[,;#\\]|$)", re.MULTILINE)
_NONLOCAL = re.compile(r"nonlocal[ \t]+\w+[ \t]*(?:[,;#\\]|$)", re.MULTILINE)


def descend(node: ast.AST) -> Iterator[ast.AST]:
    """A node and everything in it but names, constants and operators: faster than `ast.walk`."""
    stack = [node]
    while stack:
        here = stack.pop()
        yield here
        for name in here._fields:
            value = getattr(here, name, None)
            if type(value) is list:
                stack += [part for part in value if type(part) not in _LEAVES]
            elif type(value) not in _LEAVES and isinstance(value, ast.AST) and value._fields:
                stack.append(value)


_LEAVES = frozenset((ast.Name, ast.Constant, ast.Pass, ast.arg, str, int, type(None)))


_SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return, ast.Raise, ast.Assert)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_WITHOUT_BLOCK = frozenset((*_SIMPLE, *_SCOPES))  # or with one that is not its own


def own_statements(function: ast.AST) -> Iterator[ast.stmt]:
    """The statements of a function without those of the functions and classes inside it."""
    body = getattr(function, "body", [])
    stack: list[ast.stmt] = list(body) if isinstance(body, list) else []
    while stack:
        node = stack.pop()
        yield node
        if type(node) in _WITHOUT_BLOCK:
            continue
        for part in ("body", "orelse", "finalbody"):
            stack.extend(getattr(node, part, ()))
        for branch in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
            stack.extend(branch.body)


def _stores(function: ast.AST, this: str) -> Iterator[tuple[str, ast.stmt]]:
    for node in own_statements(function):
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AugAssign | ast.AnnAssign) and (
            isinstance(node, ast.AugAssign) or node.value is not None
        ):
            targets = [node.target]
        for target in targets:
            for part in target.elts if isinstance(target, ast.Tuple) else [target]:
                if (
                    isinstance(part, ast.Attribute)
                    and isinstance(part.value, ast.Name)
                    and part.value.id == this
                ):
                    yield part.attr, node


def read_module(path: str, text: str, package: tuple[str, ...] = ()) -> Module:
    """Parse a file and index its top level.

    Raises:
        SyntaxError: the text is not Python.
    """
    module = Module(path, text, ast.parse(text, filename=path), package)
    _scan(module, module.tree.body)
    return module


def define_class(module: Module, node: ast.ClassDef, outer: str = "") -> Class:
    """Index a class body."""
    found = Class(node, module, node.name, outer)
    _scan_class(found, node.body)
    return found


def _scan_class(found: Class, body: list[ast.stmt]) -> None:
    for item in body:
        if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef):
            if not _is_overload(item):
                method = Function(item, found.module, item.name, found, found.qualname)
                found.methods.setdefault(item.name, method)
        elif isinstance(item, ast.Assign):
            for target in item.targets:
                if isinstance(target, ast.Name):
                    found.attributes[target.id] = item.value
        elif isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            found.annotations[item.target.id] = item.annotation
            if item.value is not None:
                found.attributes[item.target.id] = item.value
        elif isinstance(item, ast.If | ast.Try):
            _scan_class(found, item.body)
            _scan_class(found, item.orelse)


def _is_overload(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    names = (ast.unparse(d) if not isinstance(d, ast.Name) else d.id for d in node.decorator_list)
    return any(n.endswith(("overload", ".setter", ".deleter")) for n in names)


def _scan(module: Module, body: list[ast.stmt], stars: bool = True) -> None:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if not _is_overload(node):
                _define(module, node.name, Function(node, module, node.name))
        elif isinstance(node, ast.ClassDef):
            _define(module, node.name, define_class(module, node))
        elif isinstance(node, ast.Import | ast.ImportFrom):
            _scan_import(module, node, stars)
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                _define_target(module, target, node.value)
        elif isinstance(node, ast.AnnAssign):
            if node.value is not None:
                _define_target(module, node.target, node.value)
        else:
            _scan_compound(module, node, stars)


def _scan_import(module: Module, node: ast.Import | ast.ImportFrom, stars: bool) -> None:
    for name, found in imported(node):
        _define(module, name, found)
    if isinstance(node, ast.ImportFrom) and node.names[0].name == "*" and stars:
        module.stars.append((node.level, node.module or ""))


def _scan_compound(module: Module, node: ast.stmt, stars: bool) -> None:
    real = stars and not (isinstance(node, ast.If) and _for_types(node.test))
    for part in ("body", "orelse", "finalbody"):
        _scan(module, getattr(node, part, []), real)
    for handler in getattr(node, "handlers", []):
        _scan(module, handler.body)


def _for_types(test: ast.expr) -> bool:
    """Whether a branch is for type checkers only: its star imports name whole packages."""
    return getattr(test, "id", getattr(test, "attr", "")) == "TYPE_CHECKING"


def _define_target(module: Module, target: ast.expr, value: ast.expr) -> None:
    if isinstance(target, ast.Name):
        _define(module, target.id, value)
    elif isinstance(target, ast.Tuple | ast.List):
        values = value.elts if isinstance(value, ast.Tuple | ast.List) else []
        for index, part in enumerate(target.elts):
            if len(values) == len(target.elts):
                _define_target(module, part, values[index])
            elif isinstance(part, ast.Name):
                _define(module, part.id, ast.Subscript(value, ast.Constant(index), ast.Load()))


def _define(module: Module, name: str, found: Definition) -> None:
    module.definitions.setdefault(name, []).append(found)


def imported(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, Import]]:
    """The names that an import statement binds."""
    for alias in node.names:
        if isinstance(node, ast.Import):
            if alias.asname:
                yield alias.asname, Import(0, alias.name)
            else:
                top = alias.name.partition(".")[0]
                yield top, Import(0, top)
        elif alias.name != "*":
            yield alias.asname or alias.name, Import(node.level, node.module or "", alias.name)
