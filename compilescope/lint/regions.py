"""Compiled regions: where the machine starts, and what it takes as compiled."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from compilescope.lint.binding import generic
from compilescope.lint.calls import compiled_site
from compilescope.lint.construction import run_generic
from compilescope.lint.decorators import unwrapped
from compilescope.lint.frames import Closure, Frame
from compilescope.lint.index import Class, Function, Module
from compilescope.lint.instances import method_value
from compilescope.lint.machine import as_input
from compilescope.lint.rule import Site
from compilescope.lint.statements import run_block
from compilescope.lint.values import UNKNOWN, Value

if TYPE_CHECKING:
    from compilescope.lint.machine import Machine


COMPILE = re.compile("compile")
_CALLED = re.compile(r"(?<!\bre)\.\Z")  # before the word
_IMPORTED = re.compile(r"\bimport \Z")


INNER_CLASS = re.compile(r"^[ \t]+class \w+\(.*Module\):", re.MULTILINE)


def drives(text: str) -> bool:
    """Whether code compiles something, or defines modules inside functions."""
    if "_dynamo.optimize" in text or any(map(_is_compile, COMPILE.finditer(text))):
        return True
    return " class " in text and INNER_CLASS.search(text) is not None


def _is_compile(match: re.Match[str]) -> bool:
    """Whether the word stands for `x.compile`, `import compile` or `@compile`."""
    text, end = match.string, match.end()
    before = text[max(match.start() - 20, 0) : match.start()]
    if before.endswith("@"):
        return before == "@" or before[-2:-1] == "\n"
    if text[end : end + 1].isidentifier() or text[end : end + 1].isdigit():
        return False
    if before.endswith("."):
        return text[end : end + 1] != "." and _CALLED.search(before) is not None
    return _IMPORTED.search(before) is not None


_CALLABLE = ("function", "class", "instance", "compiled", "cached", "opaque", "union")


class Regions:
    """Runs everything that is compiled, drivers first: they know the arguments."""

    def __init__(self, machine: Machine, paths: Iterable[str], compiled: Sequence[str]) -> None:
        self.machine = machine
        self.paths = sorted(paths)
        self.compiled = compiled

    def run(self) -> None:
        """Find the compiled regions and run them."""
        modules = [m for path in self.paths if (m := self.machine.project.module(path))]
        for module in modules:
            if drives(module.text):
                self._drive(module)
        for module in modules:
            for name in self.compiled:
                self._named(module, name)
        self._roots()
        for module in modules:
            if "torch" in module.text:
                self._modules(module)
        self._nested()
        self._roots()

    def _drive(self, module: Module) -> None:
        """Run a module's own statements and its uncalled functions, to see what is compiled."""
        site = Site(module)
        frame = Frame(module, site, {})
        run_block(self.machine, frame, module.tree.body)
        names = {name for name, value in frame.env.items() if value.kind == "compiled"}
        for function in functions_of(module):
            if function.decorators:
                self._decorated(function)
            if function not in self.machine.seen:
                first = min([function.node.lineno, *(d.lineno for d in function.decorators)])
                lines = module.lines[first - 1 : function.node.end_lineno]
                text = "\n".join(lines)
                if drives(text) or any(f"{name}(" in text for name in names):
                    self._run_plain(function)

    def _decorated(self, function: Function) -> None:
        value = method_value(self.machine, function)
        if value.kind == "compiled":
            owner = function.owner
            bound = self.machine.instance(owner) if owner is not None else None
            self.enter(value.data, value.note, bound)

    def _run_plain(self, function: Function) -> None:
        env = generic(self.machine, function)
        if function.owner is not None and env:
            env[next(iter(env))] = self.machine.instance(function.owner)
        run_generic(self.machine, Value("function", function), env, Site(function.module))

    def _named(self, module: Module, name: str) -> None:
        place, _, target = name.rpartition(":")
        if place and not _is_place(module, place):
            return
        factory = target.endswith("()")
        parts = target.removesuffix("()").split(".")
        value = self.machine.module_value(module, parts[0])
        if value is None:
            return
        frame = Frame(module, Site(module), {})
        from compilescope.lint.attributes import attribute
        from compilescope.lint.calls import call_value
        from compilescope.lint.frames import Arguments

        for part in parts[1:]:
            value = attribute(self.machine, frame, value, part, ast.Pass())
        if value.kind in _CALLABLE:
            self.machine.project.named.add(name)
        if factory:
            value = call_value(self.machine, frame, value, Arguments(), module.tree)
            self._factory(value, frame)
        else:
            self.enter(value, ())

    def _factory(self, value: Value, frame: Frame) -> None:
        """A factory gives a callable, or a callable and a list of arguments for it."""
        from compilescope.lint.calls import call_value
        from compilescope.lint.frames import Arguments
        from compilescope.lint.operators import iterated

        given = value.data[0] if value.kind == "tuple" and value.data else value
        calls = value.data[1] if value.kind == "tuple" and len(value.data) > 1 else UNKNOWN
        items = list(calls.data) if calls.kind == "tuple" else [iterated(calls)]
        if given.kind == "unknown":
            return
        target = Value("compiled", given, ())
        for item in items:
            made = item
            if item.kind in ("function", "union", "instance"):
                made = call_value(self.machine, frame, item, Arguments(), frame.module.tree)
            if made.kind == "tuple":
                call_value(self.machine, frame, target, Arguments(made.data), frame.module.tree)
        self.enter(given, ())

    def _roots(self) -> None:
        while self.machine.roots:
            value, _ = self.machine.roots.pop()
            self.enter(value.data, value.note)

    def _modules(self, module: Module) -> None:
        classes = [c for c in classes_of(module) if self.machine.is_module(c)]
        for owner in reversed(classes):
            self._forward(owner)

    def _nested(self) -> None:
        while self.machine.nested:
            owner, _ = self.machine.nested.pop()
            if self.machine.is_module(owner):
                self._forward(owner)

    def _forward(self, owner: Class) -> None:
        for name in ("forward", "__call__"):
            if name in owner.methods:
                method = method_value(self.machine, owner.methods[name])
                self.enter(method, (), self.machine.instance(owner), assumed=True)

    def enter(
        self,
        value: Value,
        options: tuple[tuple[str, object], ...],
        bound: Value | None = None,
        *,
        assumed: bool = False,
    ) -> None:
        """Run something as compiled code, unless it was run with known arguments before."""
        if value.kind == "union":
            for other in value.data:
                self.enter(other, options)
            return
        if value.kind in ("compiled", "cached"):
            options = value.note if value.kind == "compiled" else options
            self.enter(value.data, options, bound, assumed=assumed and value.kind == "cached")
            return
        if value.kind == "class":
            self.enter(self.machine.instance(value.data), options)
            return
        if value.kind == "instance":
            self._enter_instance(value, options)
            return
        if value.kind != "function":
            return
        bound = value.note if bound is None else bound
        closure = value.data if isinstance(value.data, Closure) else None
        function: Function = closure.function if closure else value.data
        if function in self.machine.entered:
            return
        site = compiled_site(Site(function.module, assumed=assumed), options)
        env = generic(self.machine, function, closure.frame if closure else None)
        env = {name: as_input(v) for name, v in env.items()}
        if bound is not None and env:
            env[next(iter(env))] = bound
        run_generic(self.machine, value, env, site)

    def _enter_instance(self, value: Value, options: tuple[tuple[str, object], ...]) -> None:
        for found in self.machine.mro(value.data.owner)[0]:
            for name in ("forward", "__call__"):
                if name in found.methods:
                    method = unwrapped(method_value(self.machine, found.methods[name]))
                    self.enter(method, options, value)
                    return


def _is_place(module: Module, place: str) -> bool:
    if place.endswith(".py"):
        return module.path == place or module.path.endswith("/" + place.removeprefix("./"))
    stem = module.path.removesuffix(".py").removesuffix("/__init__")
    return f"/{stem}".endswith("/" + place.replace(".", "/"))


def classes_of(module: Module) -> Iterator[Class]:
    """The classes of a module's top level."""
    for found in module.definitions.values():
        for definition in found:
            if isinstance(definition, Class):
                yield definition


def functions_of(module: Module) -> Iterator[Function]:
    """The functions and methods of a module's top level."""
    for found in module.definitions.values():
        for definition in found:
            if isinstance(definition, Function):
                yield definition
            elif isinstance(definition, Class):
                yield from definition.methods.values()
