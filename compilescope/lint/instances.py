"""Attributes of objects and classes of the tree."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from compilescope.lint.index import Class, Function
from compilescope.lint.rule import Site
from compilescope.lint.values import (
    DEVICE,
    DTYPE,
    HELD,
    NONE,
    PARAMETER,
    UNKNOWN,
    Value,
    alternatives,
    join_all,
    tensor,
    widened,
)

if TYPE_CHECKING:
    from compilescope.lint.frames import Frame, Instance
    from compilescope.lint.machine import Machine


def class_attribute(machine: Machine, owner: Class, name: str) -> Value:
    """An attribute of a class body."""
    key = ("class-attribute", owner, name)
    if key not in machine.memo:
        from compilescope.lint.expressions import evaluate
        from compilescope.lint.frames import Frame as NewFrame

        machine.memo[key] = UNKNOWN
        outside = NewFrame(owner.module, Site(owner.module, init=True), {})
        value = evaluate(machine, outside, owner.attributes[name])
        machine.memo[key] = widened(value) if name in owner.stored else value
    return machine.memo[key]


def method_value(machine: Machine, method: Function) -> Value:
    """A method as its class holds it, decorators applied."""
    key = ("method", method)
    if key not in machine.memo:
        from compilescope.lint.frames import Frame as NewFrame

        scope = machine.scopes.get(method.owner) if method.owner is not None else None
        outside = scope or NewFrame(method.module, Site(method.module, init=True), {})
        machine.memo[key] = machine.function_value(method, outside)
    return machine.memo[key]


def of_instance(machine: Machine, frame: Frame, base: Value, name: str, node: ast.AST) -> Value:
    """An attribute of an object of a class of the tree."""
    instance: Instance = base.data
    classes, names = machine.mro(instance.owner)
    for found in classes:
        if name in found.methods:
            return bind_method(
                machine, frame, method_value(machine, found.methods[name]), base, node
            )
    ensure_ready(machine, instance)
    if name in instance.attributes:
        machine.emit(
            "read-attribute", node, frame, value=base, detail=name, other=instance.attributes[name]
        )
        return _stored(machine, instance, name, classes)
    for found in classes:
        if name in found.attributes:
            value = class_attribute(machine, found, name)
            if name not in found.annotations:  # else a field: each object has its own
                machine.emit("read-attribute", node, frame, value=base, detail=name, other=value)
            return value
    for found in classes:
        if name in found.annotations:
            from compilescope.lint.annotations import declared

            return declared(machine, found.module, found.annotations[name])
    from compilescope.lint.machine import is_module_name

    if any(is_module_name(n) for n in names):
        return _of_nn_module(base, name, names)
    return Value("method", base, name) if name in _OBJECT_METHODS else UNKNOWN


_OBJECT_METHODS = frozenset(("__class__", "_replace", "_asdict"))


def _held(value: Value) -> Value:
    if value.kind == "union":
        return join_all(_held(other) for other in alternatives(value))
    return tensor(value.data, value.note | HELD) if value.kind == "tensor" else value


def _stored(machine: Machine, instance: Instance, name: str, classes: list[Class]) -> Value:
    """An attribute of self; one that other methods assign may have changed by now."""
    value = instance.attributes[name]
    if instance.state == "running":
        return value
    changed = any(
        method not in ("__init__", "reset_parameters", "init_weights", "_init_weights")
        for found in classes
        for method, _ in found.stored.get(name, ())
    )
    if not changed:
        return _held(value) if machine.is_module(instance.owner) else value
    from compilescope.lint.machine import as_state

    if value.kind == "union":
        return join_all(as_state(v) if v != NONE else v for v in alternatives(value))
    return as_state(value)


def bind_method(machine: Machine, frame: Frame, value: Value, base: Value, node: ast.AST) -> Value:
    """A method looked up on an object."""
    if value.kind == "property":
        from compilescope.lint.calls import call_value
        from compilescope.lint.frames import Arguments

        machine.emit(f"property:{value.note}", node, frame, value=base)
        return call_value(machine, frame, bound_to(value.data, base), Arguments(), node)
    if value.kind == "classmethod":
        owner = base if base.kind == "class" else Value("class", base.data.owner)
        return bound_to(value.data, owner)
    return bound_to(value, base)


def bound_to(value: Value, base: Value) -> Value:
    """A method with its first argument, under all of its decorators."""
    if value.kind == "function":
        return Value("function", value.data, base)
    if value.kind in ("compiled", "cached", "opaque"):
        return Value(value.kind, bound_to(value.data, base), value.note)
    if value.kind == "staticmethod":
        inner: Value = value.data
        return inner
    return UNKNOWN if value.kind in ("property", "classmethod") else value


def ensure_ready(machine: Machine, instance: Instance) -> None:
    """Run `__init__` once so that the object has its attributes."""
    if instance.state != "new":
        return
    from compilescope.lint.construction import construct

    instance.state = "running"
    construct(machine, instance)
    instance.state = "ready"


def _of_nn_module(base: Value, name: str, names: list[str]) -> Value:
    if name == "training":
        return Value("number", "mode")
    if name in ("dtype", "device"):
        return DTYPE if name == "dtype" else DEVICE
    if name in ("weight", "bias") and any(n.startswith("torch.nn.") for n in names):
        return tensor("float", PARAMETER) if name == "weight" else UNKNOWN
    if name in _MODULE_METHODS:
        return Value("method", base, name)
    return UNKNOWN


_MODULE_METHODS = frozenset(
    """
    parameters named_parameters buffers named_buffers children named_children modules
    named_modules register_buffer register_parameter add_module register_module to cuda cpu half
    float double train eval requires_grad_ zero_grad state_dict load_state_dict apply compile
    register_forward_hook register_forward_pre_hook get_submodule _get_name extra_repr log
    log_dict forward append extend insert
    """.split()
)
