"""Methods of modules and other objects whose class is outside the tree."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from compilescope.lint.values import (
    NONE,
    PARAMETER,
    STRING,
    UNKNOWN,
    Value,
    element,
    join,
    list_of,
    tensor,
    tuple_of,
)

if TYPE_CHECKING:
    from compilescope.lint.frames import Arguments, Frame
    from compilescope.lint.machine import Machine

_PARAMETER = tensor("float", PARAMETER)
_RESULTS = {
    "parameters": list_of(_PARAMETER, "generator"),
    "named_parameters": list_of(tuple_of((STRING, _PARAMETER)), "generator"),
    "buffers": list_of(tensor(""), "generator"),
    "named_buffers": list_of(tuple_of((STRING, tensor(""))), "generator"),
    "state_dict": Value("dict", (), tensor("")),
    "_get_name": STRING,
}
_SELF = frozenset("to cuda cpu half float double bfloat16 train eval requires_grad_ apply".split())


def module_method(
    machine: Machine,
    frame: Frame,
    base: Value,
    name: str,
    arguments: Arguments,
    node: ast.AST,
) -> Value:
    """Call a method that an object of the tree inherits from torch.nn.Module."""
    machine.emit(
        f"call:torch.nn.Module.{name}",
        node,
        frame,
        value=base,
        arguments=arguments.positional,
        keywords=arguments.keywords,
    )
    instance = base.data
    if name in ("register_buffer", "register_parameter", "add_module", "register_module"):
        _register(instance, name, arguments)
        return NONE
    if name == "compile":
        from compilescope.lint.compiling import options_of

        instance.compiled = options_of(arguments)
        machine.emit("compile", node, frame, value=base, detail="compile()")
        return NONE
    if name in ("modules", "children"):
        return list_of(UNKNOWN, "generator")
    if name in ("append", "insert", "extend"):
        return base
    return base if name in _SELF else _RESULTS.get(name, UNKNOWN)


def _register(instance: object, name: str, arguments: Arguments) -> None:
    key = arguments.positional[0] if arguments.positional else arguments.keywords.get("name")
    if key is None or key.kind != "const" or not isinstance(key.data, str):
        return
    given = (
        arguments.positional[1]
        if len(arguments.positional) > 1
        else next(
            (v for k, v in arguments.keywords.items() if k in ("tensor", "param", "module")),
            UNKNOWN,
        )
    )
    if name == "register_buffer" and given.kind == "unknown":
        given = tensor("")
    attributes: dict[str, Value] = instance.attributes  # type: ignore[attr-defined]
    old = attributes.get(key.data)
    attributes[key.data] = given if old is None else join(old, given)


def object_method(
    machine: Machine,
    frame: Frame,
    base: Value,
    name: str,
    arguments: Arguments,
    node: ast.AST,
) -> Value:
    """Call a method of an object of a library class."""
    owner: str = base.data
    machine.emit(
        f"call:{owner}.{name}",
        node,
        frame,
        value=base,
        arguments=arguments.positional,
        keywords=arguments.keywords,
    )
    machine.emit(f"call:{owner}.*", node, frame, value=base, detail=name)
    if owner.startswith("torch.nn."):
        machine.emit(
            f"call:torch.nn.Module.{name}",
            node,
            frame,
            value=base,
            arguments=arguments.positional,
            keywords=arguments.keywords,
        )
        return _nn_method(machine, frame, base, name, arguments, node)
    if owner.startswith("torch.distributions."):
        return tensor("float") if name in ("sample", "rsample", "log_prob", "entropy") else UNKNOWN
    if owner == "torch.Generator" and name == "manual_seed":
        return base
    return UNKNOWN


def _nn_method(
    machine: Machine,
    frame: Frame,
    base: Value,
    name: str,
    arguments: Arguments,
    node: ast.AST,
) -> Value:
    inner: Value | None = base.note if isinstance(base.note, Value) else None
    if inner is not None and name in ("values", "children", "modules"):
        return inner if name == "values" else list_of(element(inner))
    if inner is not None and name == "items":
        return list_of(tuple_of((STRING, element(inner))))
    if name == "keys":
        return list_of(STRING)
    if name == "forward":
        from compilescope.lint.torch_calls import call_object

        return call_object(machine, frame, base, arguments, node)
    if name == "register_buffer":
        return NONE
    if name == "compile":
        machine.emit("compile", node, frame, value=base, detail="compile()")
        return NONE
    return base if name in _SELF else _RESULTS.get(name, UNKNOWN)
