"""The abstract machine: runs functions of the tree on value kinds and emits facts."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from typing import Any

from compilescope.lint.frames import Arguments, Closure, Frame, Instance
from compilescope.lint.index import Class, Function, Import, Module
from compilescope.lint.project import Project
from compilescope.lint.rule import Fact, Site
from compilescope.lint.values import (
    HELD,
    INPUT,
    NONE,
    TRUE,
    UNKNOWN,
    Value,
    join,
    join_all,
    library,
)

CONTEXTS = 10  # evaluations of one function with different kinds of arguments
SMALL_CONTEXTS = 400  # of a short one: helpers are called from everywhere
DEPTH = 24
_COMPILING = ("is_torchdynamo_compiling", "is_compiling", "is_dynamo_compiling")
BUILTINS = frozenset(dir(builtins))


class Machine:
    """Holds what is shared by all frames of one run."""

    def __init__(
        self,
        project: Project,
        sink: Callable[[Fact], None],
        wanted: Iterable[str],
        outside: Iterable[str] | None = None,
    ) -> None:
        """Show facts of the keys `wanted`; of code that is not compiled only those `outside`."""
        self.project = project
        self.sink = sink
        self.wanted = frozenset(wanted)
        self.wanted_outside = self.wanted if outside is None else frozenset(outside)
        self.memo: dict[Any, Value] = {}
        self.contexts: dict[Function, int] = {}
        self.running: set[Any] = set()
        self.depth = 0
        self.breaks = 0  # findings that end a graph, so far
        self.breaking: set[Any] = set()  # calls that met one
        self.instances: dict[Any, Instance] = {}
        self.constructed: dict[Class, int] = {}  # how many of them each class has
        self.globals: dict[tuple[str, str], Value] = {}
        self.pending: set[tuple[str, str]] = set()
        self.roots: list[tuple[Value, Site]] = []
        self.entered: set[Function] = set()  # run as compiled code with known arguments
        self.seen: set[Function] = set()
        self.scopes: dict[Class, Frame] = {}  # where classes inside functions are defined
        self.nested: list[tuple[Class, Frame]] = []  # classes defined in functions that were run
        self.quiet = False  # inside the arguments of a call that is reported as a whole
        self.mros: dict[Class, tuple[list[Class], list[str]]] = {}

    def emit(self, key: str, node: ast.AST, frame: Frame, **details: Any) -> None:
        """Show a fact to the rules that want it."""
        if key in (self.wanted if frame.site.compiled else self.wanted_outside):
            self.sink(Fact(key, node, frame.site, self, frame, self.breaks, **details))

    def peek(self, frame: Frame, node: ast.expr) -> Value:
        """The kind of an expression, without facts and breaks that it would add."""
        from compilescope.lint.expressions import evaluate

        sink, breaks = self.sink, self.breaks
        self.sink = _unheard
        try:
            return evaluate(self, frame, node)
        finally:
            self.sink, self.breaks = sink, breaks

    # -- names ---------------------------------------------------------------------------------

    def lookup(self, frame: Frame, name: str, node: ast.AST | None = None) -> Value:
        """What a name means in a frame."""
        scope: Frame | None = frame
        while scope is not None:
            if name in scope.env:
                return scope.env[name]
            scope = scope.outer
        found = self.module_value(frame.module, name)
        if found is not None:
            if found.kind == "number" and found.data == "state":
                self.emit("read-global", node or ast.Pass(), frame, value=found, detail=name)
            return found
        return library(f"builtins.{name}") if name in BUILTINS else UNKNOWN

    def module_value(self, module: Module, name: str) -> Value | None:
        """What a module's name means, or None where it defines no such name."""
        key = (module.path, name)
        if key in self.globals:
            return self.globals[key]
        definitions = module.definitions.get(name)
        if definitions is None:
            return self._from_stars(module, name)
        if key in self.pending:
            return UNKNOWN
        self.pending.add(key)
        try:
            if isinstance(definitions[-1], Function | Class):
                definitions = definitions[-1:]
            value = join_all(self._defined(module, d) for d in definitions)
        finally:
            self.pending.discard(key)
        if name in module.changed_globals:
            value = as_state(value)
        self.globals[key] = value
        return value

    def _from_stars(self, module: Module, name: str) -> Value | None:
        for level, source in module.stars:
            path = self.project.resolve(module, level, source)
            other = self.project.module(path) if path else None
            if other is not None and other is not module:
                found = self.module_value(other, name)
                if found is not None:
                    return found
        return None

    def _defined(self, module: Module, definition: Any) -> Value:
        if isinstance(definition, Import):
            return self.imported(module, definition)
        if isinstance(definition, Class):
            return Value("class", definition)
        if isinstance(definition, Function):
            return self.function_value(definition, Frame(module, Site(module), {}))
        from compilescope.lint.expressions import evaluate

        return evaluate(self, Frame(module, Site(module, init=True), {}), definition)

    def imported(self, module: Module, found: Import) -> Value:
        """What an import binds: something of the tree or a library's dotted name."""
        path = self.project.resolve(module, found.level, found.name)
        if path is None:
            dotted = f"{found.name}.{found.attribute}" if found.attribute else found.name
            from compilescope.lint.attributes import library_value

            return library_value(dotted)
        if not found.attribute:
            return Value("module", path)
        other = self.project.module(path)
        value = self.module_value(other, found.attribute) if other is not None else None
        if value is not None:
            return value
        name = f"{found.name}.{found.attribute}" if found.name else found.attribute
        below = self.project.resolve(module, found.level, name)
        return Value("module", below) if below else UNKNOWN

    # -- classes -------------------------------------------------------------------------------

    def mro(self, owner: Class) -> tuple[list[Class], list[str]]:
        """The class and its bases in the tree, and the dotted names of the others."""
        if owner not in self.mros:
            self.mros[owner] = ([owner], [])  # a class that inherits from itself
            classes, names = [owner], list[str]()
            frame = self.scopes.get(owner) or Frame(owner.module, Site(owner.module), {})
            for base in owner.node.bases:
                self._add_base(base, frame, classes, names)
            self.mros[owner] = (classes, names)
        return self.mros[owner]

    def _add_base(
        self, base: ast.expr, frame: Frame, classes: list[Class], names: list[str]
    ) -> None:
        from compilescope.lint.expressions import evaluate

        node = base.value if isinstance(base, ast.Subscript) else base
        value = evaluate(self, frame, node)
        if value.kind == "class":
            above, outside = self.mro(value.data)
            for found in above:
                if found in classes:
                    classes.remove(found)
                classes.append(found)
            names.extend(n for n in outside if n not in names)
        elif value.kind in ("library", "object"):
            names.append(value.data)

    def is_module(self, owner: Class) -> bool:
        """Whether a class is an nn.Module."""
        _, names = self.mro(owner)
        return any(is_module_name(name) for name in names)

    def instance(self, owner: Class, arguments: Arguments | None = None) -> Value:
        """An object of a class; equal construction gives the same object."""
        if arguments is not None and any("__init__" in c.methods for c in self.mro(owner)[0]):
            arguments = arguments.without_numbers()  # `__init__` will not see them either
        key = (owner, arguments.key() if arguments is not None else None)
        if key not in self.instances:
            count = self.constructed.get(owner, 0)
            if count > CONTEXTS and arguments is not None:
                return self.instance(owner)
            self.constructed[owner] = count + 1
            self.instances[key] = Instance(owner, arguments)
        return Value("instance", self.instances[key])

    # -- functions -----------------------------------------------------------------------------

    def function_value(self, function: Function, frame: Frame) -> Value:
        """A function as a value, seen through its decorators."""
        nested = frame.outer is not None or frame.site.function is not None
        value = Value("function", Closure(function, frame) if nested else function)
        if function.decorators:
            from compilescope.lint.decorators import decorated

            return decorated(self, frame, function, value)
        return value

    def call(
        self, value: Value, arguments: Arguments, site: Site, bound: Value | None = None
    ) -> Value:
        """Run a function of the tree on kinds of arguments and give what it returns."""
        closure = value.data if isinstance(value.data, Closure) else None
        function: Function = closure.function if closure else value.data
        from compilescope.lint.binding import bind

        env = bind(self, function, arguments, bound, closure.frame if closure else None)
        if site.entering:
            env = {name: as_input(v) for name, v in env.items()}
        key = (
            value.data,
            tuple(env.items()),
            site.compiled,
            site.fullgraph,
            bool(site.loops),
            bool(site.blocks),
            bool(site.guarded),
            site.entering,
            site.assumed,
        )
        if key in self.memo:
            self.breaks += key in self.breaking
            return self.memo[key]
        if key in self.running or self.depth >= DEPTH:
            return UNKNOWN
        count = self.contexts.get(function, 0)
        if count >= CONTEXTS and (count >= SMALL_CONTEXTS or not function.is_small):
            return UNKNOWN
        self.contexts[function] = count + 1
        self.running.add(key)
        self.depth += 1
        before = self.breaks
        try:
            result = self.run(function, env, closure, site)
        finally:
            self.depth -= 1
            self.running.discard(key)
        if self.breaks > before:
            self.breaking.add(key)
        if site.compiled and tells_compiling(value):
            result = TRUE
        self.memo[key] = result
        return result

    def run(
        self, function: Function, env: dict[str, Value], closure: Closure | None, site: Site
    ) -> Value:
        """Run a function on a ready environment."""
        from compilescope.lint.statements import run_body

        self.seen.add(function)
        inner = replace(
            site,
            module=function.module,
            function=function,
            init=False,
            entering=False,
            root=site.entering,
            born={},
        )
        if site.assumed and function.compiles:
            inner.compiled = False  # it drives compiled code: it will hardly be compiled itself
        arguments = function.node.args.posonlyargs + function.node.args.args
        this = arguments[0].arg if function.owner is not None and arguments else ""
        frame = Frame(
            function.module, inner, env, closure.frame if closure else None, this, function.owner
        )
        if inner.compiled:
            self.entered.add(function)
            self.emit("function", function.node, frame, value=Value("function", function))
        return run_body(self, frame, function)


def tells_compiling(value: Value) -> bool:
    """Whether a function of the tree says that the compiler is at work, as its name tells."""
    function = value.data.function if isinstance(value.data, Closure) else value.data
    if not isinstance(function, Function) or function.name not in _COMPILING:
        return False
    last = function.node.body[-1] if isinstance(function.node.body, list) else None
    plain = isinstance(last, ast.Return) and isinstance(last.value, ast.Constant)
    return not (plain and len(function.node.body) <= 2)  # type: ignore[arg-type]


def _unheard(_fact: Fact) -> None:
    """Takes the facts of an expression that is only looked at."""


def as_state(value: Value) -> Value:
    """A Python value that something changes between calls."""
    from compilescope.lint.values import widened

    wide = widened(value)
    if wide.kind == "number":
        return Value("number", "state")
    return UNKNOWN if wide == NONE else wide


def as_input(value: Value) -> Value:
    """An argument of a compiled callable."""
    if value.kind == "tensor":
        return Value("tensor", value.data, value.note & ~HELD | INPUT)
    if value.kind == "number" and value.data == "loop":
        return Value("number", "varying")
    if value.kind == "union":
        return join_all(as_input(v) for v in value.data)
    return value


@cache
def is_module_name(name: str) -> bool:
    """Whether a class outside the tree is an nn.Module, as far as its name tells."""
    from compilescope.lint.torch_table import MODULES

    if name.startswith("torch.nn.modules."):
        return True
    if name.startswith("torch.nn."):
        return name.rpartition(".")[2] in MODULES
    return name.rpartition(".")[2] in MODULE_BASES


MODULE_BASES = frozenset(
    """
    Module LightningModule PreTrainedModel MessagePassing ModelMixin Aggregation GenerationMixin
    PyTorchModelHubMixin
    """.split()
) - {"GenerationMixin", "PyTorchModelHubMixin"}


def merge(first: dict[str, Value] | None, second: dict[str, Value] | None) -> Any:
    """Where two paths meet; None is a path that does not go on."""
    if first is None or second is None:
        return second if first is None else first
    if first is second:
        return first
    result = dict(first)
    for name, value in second.items():
        result[name] = join(result[name], value) if name in result else value
    return result
