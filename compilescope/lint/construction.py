"""Objects: what `__init__` leaves on them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from compilescope.lint.binding import generic
from compilescope.lint.decorators import unwrapped
from compilescope.lint.index import Function
from compilescope.lint.instances import class_attribute, method_value
from compilescope.lint.rule import Site
from compilescope.lint.values import UNKNOWN, Value

if TYPE_CHECKING:
    from compilescope.lint.frames import Instance
    from compilescope.lint.index import Class
    from compilescope.lint.machine import Machine

SETTERS = ("__init__", "__post_init__", "setup", "build", "_setup", "configure_model")


def construct(machine: Machine, instance: Instance) -> None:
    """Run the constructor of an object on its arguments, or on what its signature declares."""
    classes, _ = machine.mro(instance.owner)
    _declare_fields(machine, instance, classes)
    value = Value("instance", instance)
    for found in classes:
        method = found.methods.get("__init__")
        if method is None:
            continue
        site = Site(method.module, method, init=True)
        function = unwrapped(method_value(machine, method))
        if function.kind != "function":
            function = Value("function", method)
        if instance.arguments is not None:
            machine.call(function, instance.arguments, site, value)
        else:
            env = generic(machine, plain_function(function))
            first = next(iter(env), "")
            env[first] = value
            run_generic(machine, function, env, site)
        return


def run_generic(machine: Machine, function: Value, env: dict[str, Value], site: Site) -> Value:
    """Run a function on a ready environment."""
    from compilescope.lint.machine import DEPTH

    if machine.depth >= DEPTH:
        return UNKNOWN
    machine.depth += 1
    try:
        closure = function.data if not isinstance(function.data, Function) else None
        return machine.run(plain_function(function), env, closure, site)
    finally:
        machine.depth -= 1


def plain_function(value: Value) -> Function:
    """The function of a function value, closure or not."""
    found: Function = value.data if isinstance(value.data, Function) else value.data.function
    return found


def _declare_fields(machine: Machine, instance: Instance, classes: list[Class]) -> None:
    """The fields of a dataclass or named tuple, from the call or their annotations."""
    if any("__init__" in found.methods for found in classes):
        return
    from compilescope.lint.annotations import declared

    names = [name for found in reversed(classes) for name in found.annotations]
    if instance.arguments is not None:
        instance.attributes.update(zip(names, instance.arguments.positional, strict=False))
        for name, value in instance.arguments.keywords.items():
            if name in names:
                instance.attributes[name] = value
        if not instance.arguments.open:
            _default_fields(machine, instance, classes)
    for found in classes:
        for name, annotation in found.annotations.items():
            if instance.attributes.get(name, UNKNOWN).kind == "unknown":
                kind = declared(machine, found.module, annotation)
                if kind.kind != "unknown":
                    instance.attributes[name] = kind


def _default_fields(machine: Machine, instance: Instance, classes: list[Class]) -> None:
    """Switches that the call leaves out and nothing in their file sets later."""
    for found in classes:
        for name, default in found.attributes.items():
            plain = isinstance(default, ast.Constant) and type(default.value) in _SWITCHES
            kept = name in found.annotations and name not in found.module.set_attributes
            if plain and kept and name not in instance.attributes:
                instance.attributes[name] = class_attribute(machine, found, name)


_SWITCHES = (bool, str, type(None))
