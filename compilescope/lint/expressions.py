"""Expressions to value kinds; operators, tests, containers and comprehensions."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from compilescope.lint.operators import binary, compare, iterated
from compilescope.lint.rare import is_rare
from compilescope.lint.values import (
    BOOLEAN,
    INPUT,
    NONE,
    NUMBER,
    PARAMETER,
    UNKNOWN,
    Value,
    const,
    contains_tensor,
    join_all,
    list_of,
    may_be_tensor,
    tensor,
    tensor_part,
    text_of,
    truth,
    tuple_of,
    without,
)

if TYPE_CHECKING:
    from compilescope.lint.frames import Frame
    from compilescope.lint.machine import Machine

Evaluator = Callable[["Machine", "Frame", Any], Value]


def evaluate(machine: Machine, frame: Frame, node: ast.expr) -> Value:
    """The kind of value that an expression gives."""
    handler = _HANDLERS.get(type(node))
    return handler(machine, frame, node) if handler is not None else UNKNOWN


def path_of(node: ast.expr) -> str:
    """`a.b.c` of a chain of attributes on a name, else the empty string."""
    if type(node) is ast.Name:
        return node.id
    if type(node) is not ast.Attribute:
        return ""
    known: str | None = node.__dict__.get("path")
    if known is None:
        base = path_of(node.value)
        known = node.__dict__["path"] = f"{base}.{node.attr}" if base else ""
    return known


def _constant(_machine: Machine, _frame: Frame, node: ast.Constant) -> Value:
    known: Value | None = node.__dict__.get("known")
    if known is None:
        known = node.__dict__["known"] = const(node.value)
    return known


def _name(machine: Machine, frame: Frame, node: ast.Name) -> Value:
    found = frame.env.get(node.id)
    return found if found is not None else machine.lookup(frame, node.id, node)


def _attribute(machine: Machine, frame: Frame, node: ast.Attribute) -> Value:
    from compilescope.lint.attributes import attribute

    path = path_of(node)
    if path and path in frame.env:
        return frame.env[path]
    base = evaluate(machine, frame, node.value)
    return attribute(machine, frame, base, node.attr, node)


def _subscript(machine: Machine, frame: Frame, node: ast.Subscript) -> Value:
    from compilescope.lint.subscripts import subscript

    base = evaluate(machine, frame, node.value)
    index = index_value(machine, frame, node.slice)
    return subscript(machine, frame, base, index, node)


def index_value(machine: Machine, frame: Frame, node: ast.expr) -> Value:
    """The value between brackets."""
    if isinstance(node, ast.Slice):
        bounds = [
            evaluate(machine, frame, b) if b is not None else NONE
            for b in (node.lower, node.upper, node.step)
        ]
        return Value("slice", tuple(bounds))
    if isinstance(node, ast.Tuple):
        return tuple_of(index_value(machine, frame, part) for part in node.elts)
    return evaluate(machine, frame, node)


def _call(machine: Machine, frame: Frame, node: ast.Call) -> Value:
    from compilescope.lint.calls import call

    return call(machine, frame, node)


def _sequence(machine: Machine, frame: Frame, node: ast.List | ast.Tuple | ast.Set) -> Value:
    name = type(node).__name__.lower()
    parts: list[Value] = []
    exact = True
    for item in node.elts:
        if isinstance(item, ast.Starred):
            inner = evaluate(machine, frame, item.value)
            if inner.kind == "tuple":
                parts.extend(inner.data)
            else:
                exact = False
                parts.append(iterated(inner))
        else:
            parts.append(evaluate(machine, frame, item))
    return tuple_of(parts, name) if exact and len(parts) <= 32 else list_of(join_all(parts), name)


def _dict(machine: Machine, frame: Frame, node: ast.Dict) -> Value:
    items: list[tuple[object, Value]] = []
    rest: list[Value] = []
    for key, item in zip(node.keys, node.values, strict=True):
        value = evaluate(machine, frame, item)
        if key is None:
            if value.kind == "dict":
                items.extend(value.data)
                rest.extend([value.note] if value.note is not None else [])
            else:
                rest.append(UNKNOWN)
            continue
        name = evaluate(machine, frame, key)
        if name.kind == "const" and isinstance(name.data, str | int):
            items = [(k, v) for k, v in items if k != name.data]
            items.append((name.data, value))
        else:
            rest.append(value)
    return Value("dict", tuple(items), join_all(rest) if rest else None)


def _comprehension(machine: Machine, frame: Frame, node: Any) -> Value:
    saved = dict(frame.env)
    empty = False
    first = evaluate(machine, frame, node.generators[0].iter)
    frame.site.loops += 1
    try:
        for index, generator in enumerate(node.generators):
            source = evaluate(machine, frame, generator.iter) if index else first
            machine.emit("iterate", generator.iter, frame, value=source, detail="comprehension")
            empty = empty or (source.kind == "tuple" and not source.data)
            from compilescope.lint.assignments import assign

            assign(machine, frame, generator.target, iterated(source), node)
            for condition in generator.ifs:
                _test(machine, frame, condition, "comprehension-if")
                narrow(machine, frame, condition, True)
        if isinstance(node, ast.DictComp):
            evaluate(machine, frame, node.key)
            value = evaluate(machine, frame, node.value)
            return Value("dict", (), value)
        value = evaluate(machine, frame, node.elt)
    finally:
        frame.site.loops -= 1
        frame.env.clear()
        frame.env.update(saved)
    if empty:
        return tuple_of((), "list")
    return list_of(
        value, {"SetComp": "set", "GeneratorExp": "generator"}.get(type(node).__name__, "list")
    )


def _binary(machine: Machine, frame: Frame, node: ast.BinOp) -> Value:
    left = evaluate(machine, frame, node.left)
    right = evaluate(machine, frame, node.right)
    machine.emit("operator", node, frame, value=left, other=right, detail=type(node.op).__name__)
    return binary(left, right, node.op)


def _unary(machine: Machine, frame: Frame, node: ast.UnaryOp) -> Value:
    if isinstance(node.op, ast.Not):
        value = _test(machine, frame, node.operand, "not")
        known = truth(value)
        return BOOLEAN if known is None else const(not known)
    value = evaluate(machine, frame, node.operand)
    machine.emit("operator", node, frame, value=value, other=value, detail=type(node.op).__name__)
    part = tensor_part(value)
    if part is not None:
        return tensor(part.data, part.note & ~(PARAMETER | INPUT))
    if value.kind == "const" and type(value.data) in (int, float):
        return const(-value.data) if isinstance(node.op, ast.USub) else value
    return NUMBER if value == Value("number", "drawn") else value


def _bool_op(machine: Machine, frame: Frame, node: ast.BoolOp) -> Value:
    return _bool_values(machine, frame, node, "")


def _bool_values(machine: Machine, frame: Frame, node: ast.BoolOp, construct: str) -> Value:
    is_and = isinstance(node.op, ast.And)
    saved = frame.env
    frame.env = dict(saved)
    values: list[Value] = []
    rare = 0
    last = node.values[-1]
    try:
        for operand in node.values:
            inner = construct if operand is last else "and" if is_and else "or"
            value = (
                _test(machine, frame, operand, inner)
                if inner
                else evaluate(machine, frame, operand)
            )
            known = truth(value)
            if operand is not last and known is not None and known == is_and:
                continue
            if operand is not last and known is None:
                drop = (lambda v: truth(v) is True) if is_and else (lambda v: truth(v) is False)
                value = without(value, drop)
            values.append(value)
            if known is not None and known != is_and:
                if construct:  # whatever came before, the test comes out like this
                    return const(known)
                break
            narrow(machine, frame, operand, is_and)
            if is_and and is_rare(operand):
                frame.site.rare += 1
                rare += 1
    finally:
        frame.env = saved
        frame.site.rare -= rare
    return join_all(values)


def _test(machine: Machine, frame: Frame, node: ast.expr, construct: str) -> Value:
    return test(machine, frame, node, construct)


def test(machine: Machine, frame: Frame, node: ast.expr, construct: str) -> Value:
    """Evaluate an expression whose truth value decides something."""
    if isinstance(node, ast.BoolOp):
        return _bool_values(machine, frame, node, construct)
    value = evaluate(machine, frame, node)
    if value.kind == "instance":
        value = _truth_of_instance(machine, frame, value, node)
    is_not = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    if not is_not:
        machine.emit("branch", node, frame, value=value, detail=construct)
    return value


def _truth_of_instance(machine: Machine, frame: Frame, value: Value, node: ast.expr) -> Value:
    """An object of the tree decides by its `__bool__`, where it has one."""
    if not any("__bool__" in found.methods for found in machine.mro(value.data.owner)[0]):
        return value
    from compilescope.lint.attributes import attribute
    from compilescope.lint.calls import call_value
    from compilescope.lint.frames import Arguments

    method = attribute(machine, frame, value, "__bool__", node)
    return call_value(machine, frame, method, Arguments(), node)


def _compare(machine: Machine, frame: Frame, node: ast.Compare) -> Value:
    values = [evaluate(machine, frame, node.left)]
    values += [evaluate(machine, frame, other) for other in node.comparators]
    results: list[Value] = []
    for operator, left, right in zip(node.ops, values, values[1:], strict=False):
        result = compare(left, right, operator)
        machine.emit(
            "compare", node, frame, value=left, other=right, detail=type(operator).__name__
        )
        if len(node.ops) > 1 and len(results) < len(node.ops) - 1:
            machine.emit("branch", node, frame, value=result, detail="compare")
        results.append(result)
    if len(results) == 1:
        return results[0]
    return results[-1] if may_be_tensor(results[-1]) else BOOLEAN


def _if_expression(machine: Machine, frame: Frame, node: ast.IfExp) -> Value:
    known = truth(test(machine, frame, node.test, "ternary"))
    saved = frame.env
    results = []
    for positive, branch in ((True, node.body), (False, node.orelse)):
        if known is None or known == positive:
            frame.env = dict(saved)
            narrow(machine, frame, node.test, positive)
            results.append(evaluate(machine, frame, branch))
    frame.env = saved
    return join_all(results)


def _formatted(machine: Machine, frame: Frame, node: ast.JoinedStr) -> Value:
    late: list[Value] = []
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            value = evaluate(machine, frame, part.value)
            if part.conversion == -1:
                late.append(value)
            elif contains_tensor(value) and not machine.quiet:
                machine.emit("format", part.value, frame, value=value, extra=node)
    return text_of(late)


def _lambda(_machine: Machine, frame: Frame, node: ast.Lambda) -> Value:
    from compilescope.lint.frames import Closure
    from compilescope.lint.index import Function

    outer = frame.site.function.qualname if frame.site.function is not None else ""
    return Value("function", Closure(Function(node, frame.module, "<lambda>", None, outer), frame))


def _named(machine: Machine, frame: Frame, node: ast.NamedExpr) -> Value:
    value = evaluate(machine, frame, node.value)
    frame.env[node.target.id] = value
    return value


def _starred(machine: Machine, frame: Frame, node: ast.Starred) -> Value:
    return iterated(evaluate(machine, frame, node.value))


def _await(machine: Machine, frame: Frame, node: ast.Await) -> Value:
    evaluate(machine, frame, node.value)
    return UNKNOWN


def _yield(machine: Machine, frame: Frame, node: ast.Yield) -> Value:
    frame.yields.append(evaluate(machine, frame, node.value) if node.value else NONE)
    return UNKNOWN


def _yield_from(machine: Machine, frame: Frame, node: ast.YieldFrom) -> Value:
    frame.yields.append(iterated(evaluate(machine, frame, node.value)))
    return UNKNOWN


def narrow(machine: Machine, frame: Frame, node: ast.expr, positive: bool) -> None:
    """Use what a test says about the values it names."""
    from compilescope.lint.narrowing import narrow as apply

    apply(machine, frame, node, positive)


_HANDLERS: dict[type, Evaluator] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.Call: _call,
    ast.List: _sequence,
    ast.Tuple: _sequence,
    ast.Set: _sequence,
    ast.Dict: _dict,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.DictComp: _comprehension,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.BoolOp: _bool_op,
    ast.Compare: _compare,
    ast.IfExp: _if_expression,
    ast.JoinedStr: _formatted,
    ast.Lambda: _lambda,
    ast.NamedExpr: _named,
    ast.Starred: _starred,
    ast.Await: _await,
    ast.Yield: _yield,
    ast.YieldFrom: _yield_from,
}
