"""What Python's builtins and the methods of its containers give back."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from compilescope.lint.operators import iterated
from compilescope.lint.values import (
    ASSUMED,
    BOOLEAN,
    DECLARED,
    FALSE,
    NONE,
    NUMBER,
    PARAMETER,
    SHAPE_NUMBER,
    STRING,
    TRUE,
    UNKNOWN,
    Value,
    alternatives,
    const,
    element,
    has_fixed_size,
    join,
    join_all,
    list_of,
    may_be_tensor,
    tensor,
    tensor_part,
    text_of,
    truth,
    tuple_of,
    widened,
)

if TYPE_CHECKING:
    from compilescope.lint.frames import Arguments, Frame
    from compilescope.lint.machine import Machine

Builtin = Callable[["Machine", "Frame", "Arguments", ast.AST], Value]


def call_builtin(
    machine: Machine, frame: Frame, name: str, arguments: Arguments, node: ast.AST
) -> Value:
    """Call a builtin function."""
    handler = _FUNCTIONS.get(name)
    if handler is not None:
        return handler(machine, frame, arguments, node)
    return _RESULTS.get(name, UNKNOWN)


def _first(arguments: Arguments) -> Value:
    return arguments.positional[0] if arguments.positional else UNKNOWN


def _number(_machine: Machine, _frame: Frame, arguments: Arguments, _node: ast.AST) -> Value:
    first = _first(arguments)
    alone = first.kind == "const" and len(arguments.positional) == 1
    if alone and isinstance(first.data, str) and first.data.isdecimal():
        return const(int(first.data))
    value = widened(first)
    if may_be_tensor(value):
        return Value("number", "item")
    return value if value.kind == "number" and value.data not in ("bool", "drawn") else NUMBER


def _bool(machine: Machine, frame: Frame, arguments: Arguments, node: ast.AST) -> Value:
    value = _first(arguments)
    machine.emit("branch", node, frame, value=value, detail="bool()")
    known = truth(value)
    return BOOLEAN if known is None else const(known)


def _len(_machine: Machine, _frame: Frame, arguments: Arguments, _node: ast.AST) -> Value:
    value = _first(arguments)
    if may_be_tensor(value):
        return NUMBER if has_fixed_size(value) else SHAPE_NUMBER
    return const(len(value.data)) if value.kind == "tuple" else NUMBER


def _range(_machine: Machine, _frame: Frame, arguments: Arguments, _node: ast.AST) -> Value:
    origins = {v.data for v in arguments.positional if v.kind == "number"}
    origin = next((o for o in ("varying", "state", "shape", "item") if o in origins), "loop")
    return list_of(Value("number", origin), "range")


def _enumerate(_machine: Machine, _frame: Frame, arguments: Arguments, _node: ast.AST) -> Value:
    return list_of(tuple_of((Value("number", "loop"), iterated(_first(arguments)))))


def _zip(_machine: Machine, _frame: Frame, arguments: Arguments, _node: ast.AST) -> Value:
    if arguments.open:
        return list_of(list_of(UNKNOWN))
    return list_of(tuple_of(iterated(v) for v in arguments.positional))


def _sequence(name: str) -> Builtin:
    def convert(_machine: Machine, _frame: Frame, arguments: Arguments, _node: ast.AST) -> Value:
        if not arguments.positional:
            return tuple_of((), name)
        value = arguments.positional[0]
        if value.kind == "tuple" and name in ("list", "tuple"):
            return tuple_of(value.data, name)
        return list_of(iterated(value), name)

    return convert


def _dict(_machine: Machine, _frame: Frame, arguments: Arguments, _node: ast.AST) -> Value:
    base = _first(arguments) if arguments.positional else Value("dict", ())
    items = tuple(base.data) if base.kind == "dict" else ()
    rest = base.note if base.kind == "dict" else UNKNOWN
    return Value("dict", (*items, *arguments.keywords.items()), rest)


def _isinstance(_machine: Machine, _frame: Frame, arguments: Arguments, _node: ast.AST) -> Value:
    from compilescope.lint.narrowing import matches

    if len(arguments.positional) != 2:
        return BOOLEAN
    value, kinds = arguments.positional
    types = kinds.data if kinds.kind == "tuple" else (kinds,)
    found = set()
    for other in alternatives(value):
        if other.kind in ("unknown", "instance", "object", "dict", "list"):
            return BOOLEAN
        if other.kind == "tensor" and other.note & (ASSUMED | DECLARED | PARAMETER):
            return BOOLEAN
        found.add(any(matches(other, t) for t in types))
    return const(found.pop()) if len(found) == 1 else BOOLEAN


def _extreme(_machine: Machine, _frame: Frame, arguments: Arguments, _node: ast.AST) -> Value:
    values = arguments.positional
    if len(values) == 1:
        return iterated(values[0])
    if any(may_be_tensor(v) for v in values):
        parts = [p for v in values if (p := tensor_part(v)) is not None]
        return join_all(parts)
    from compilescope.lint.operators import origin_of

    wide = [widened(v) for v in values]
    if all(v.kind == "number" for v in wide):
        return Value("number", origin_of({v.data for v in wide}))
    return join_all(wide)


def _sum(_machine: Machine, _frame: Frame, arguments: Arguments, _node: ast.AST) -> Value:
    inner = iterated(_first(arguments))
    if may_be_tensor(inner):
        return inner
    return inner if inner.kind == "number" else UNKNOWN


def _any(machine: Machine, frame: Frame, arguments: Arguments, node: ast.AST) -> Value:
    inner = iterated(_first(arguments))
    machine.emit("branch", node, frame, value=inner, detail="any()")
    return BOOLEAN


def _same(_machine: Machine, _frame: Frame, arguments: Arguments, _node: ast.AST) -> Value:
    return widened(_first(arguments))


def _elements(_machine: Machine, _frame: Frame, arguments: Arguments, _node: ast.AST) -> Value:
    value = _first(arguments)
    return list_of(iterated(value))


def _next(_machine: Machine, _frame: Frame, arguments: Arguments, _node: ast.AST) -> Value:
    return iterated(_first(arguments))


def _iter(_machine: Machine, _frame: Frame, arguments: Arguments, _node: ast.AST) -> Value:
    return _first(arguments)


def _map(machine: Machine, frame: Frame, arguments: Arguments, node: ast.AST) -> Value:
    from compilescope.lint.calls import call_value
    from compilescope.lint.frames import Arguments as Passed

    if len(arguments.positional) < 2:
        return UNKNOWN
    function, *sources = arguments.positional
    inner = Passed(tuple(iterated(s) for s in sources))
    return list_of(call_value(machine, frame, function, inner, node))


def _filter(machine: Machine, frame: Frame, arguments: Arguments, node: ast.AST) -> Value:
    _map(machine, frame, arguments, node)
    return list_of(iterated(arguments.positional[-1])) if arguments.positional else UNKNOWN


def _getattr(machine: Machine, frame: Frame, arguments: Arguments, node: ast.AST) -> Value:
    if len(arguments.positional) < 2:
        return UNKNOWN
    base, name = arguments.positional[:2]
    if name.kind != "const" or not isinstance(name.data, str):
        return UNKNOWN
    from compilescope.lint.attributes import attribute

    found = attribute(machine, frame, base, name.data, node)
    if len(arguments.positional) > 2:
        return join(found, arguments.positional[2])
    return found


def _hasattr(_machine: Machine, _frame: Frame, _arguments: Arguments, _node: ast.AST) -> Value:
    return BOOLEAN


def _super(_machine: Machine, frame: Frame, _arguments: Arguments, _node: ast.AST) -> Value:
    scope: Frame | None = frame
    while scope is not None and scope.owner is None:
        scope = scope.outer
    if scope is None or scope.owner is None:
        return UNKNOWN
    bound = scope.env.get(scope.this, UNKNOWN)
    return Value("super", scope.owner, bound)


def _type(_machine: Machine, _frame: Frame, arguments: Arguments, _node: ast.AST) -> Value:
    value = _first(arguments)
    if value.kind == "instance":
        return Value("class", value.data.owner)
    return UNKNOWN


def _arithmetic(_machine: Machine, _frame: Frame, arguments: Arguments, _node: ast.AST) -> Value:
    part = tensor_part(_first(arguments))
    if part is not None:
        return tensor(part.data, part.note & (ASSUMED | DECLARED))
    return widened(_first(arguments))


_FUNCTIONS: dict[str, Builtin] = {
    "int": _number,
    "float": _number,
    "round": _number,
    "bool": _bool,
    "len": _len,
    "range": _range,
    "enumerate": _enumerate,
    "zip": _zip,
    "list": _sequence("list"),
    "tuple": _sequence("tuple"),
    "set": _sequence("set"),
    "frozenset": _sequence("set"),
    "dict": _dict,
    "isinstance": _isinstance,
    "max": _extreme,
    "min": _extreme,
    "sum": _sum,
    "any": _any,
    "all": _any,
    "abs": _arithmetic,
    "pow": _arithmetic,
    "divmod": _arithmetic,
    "sorted": _elements,
    "reversed": _elements,
    "iter": _iter,
    "next": _next,
    "map": _map,
    "filter": _filter,
    "getattr": _getattr,
    "hasattr": _hasattr,
    "super": _super,
    "type": _type,
}
_RESULTS = {
    "str": STRING,
    "repr": STRING,
    "format": STRING,
    "hex": STRING,
    "bin": STRING,
    "chr": STRING,
    "id": NUMBER,
    "hash": NUMBER,
    "ord": NUMBER,
    "callable": BOOLEAN,
    "issubclass": BOOLEAN,
    "print": NONE,
    "setattr": NONE,
}


def container_method(base: Value, name: str, arguments: Arguments) -> Value:
    """Call a method of a list, tuple, dict, string or size."""
    if base.kind in ("list", "tuple"):
        if name in ("pop", "popleft"):
            return element(base) if base.data else UNKNOWN
        return {"copy": base, "index": NUMBER, "count": NUMBER}.get(name, NONE)
    if base.kind == "dict":
        return _dict_method(base, name, arguments)
    if base.kind == "size":
        return SHAPE_NUMBER if name == "numel" else NUMBER
    if base.kind == "string" or isinstance(base.data, str):
        return _text_method(base, name, arguments)
    return UNKNOWN


def _dict_method(base: Value, name: str, arguments: Arguments) -> Value:
    from compilescope.lint.subscripts import item

    values = [v for _, v in base.data] + ([base.note] if base.note is not None else [])
    if name in ("get", "pop", "setdefault") and arguments.positional:
        key, *default = arguments.positional
        found = item(base, key)
        known = any(k == key.data for k, _ in base.data)
        if key.kind == "const" and base.data and base.note is None and not known:
            return default[0] if default else NONE  # all keys are known
        if default:
            return join(found, default[0]) if found.kind != "unknown" else UNKNOWN
        return found if name == "pop" or known else join(found, NONE)
    if name == "items":
        return list_of(tuple_of((UNKNOWN, join_all(values) if values else UNKNOWN)))
    if name == "values":
        return list_of(join_all(values) if values else UNKNOWN)
    if name == "keys":
        return list_of(iterated(base))
    return base if name == "copy" else NONE


def _text_method(base: Value, name: str, arguments: Arguments) -> Value:
    plain = base.kind == "const" and all(v.kind == "const" for v in arguments.positional)
    if name in ("startswith", "endswith", "isdigit", "islower", "isupper"):
        if plain and isinstance(base.data, str) and len(arguments.positional) == 1:
            test = arguments.positional[0].data
            if isinstance(test, str):
                method = getattr(base.data, name)
                return TRUE if method(test) else FALSE
        return BOOLEAN
    if name in ("lower", "upper", "strip") and plain and not arguments.positional:
        return const(getattr(base.data, name)())
    if name in ("split", "rsplit", "splitlines", "partition"):
        return list_of(STRING)
    if name == "format":
        return text_of((*arguments.positional, *arguments.keywords.values()))
    return NUMBER if name in ("find", "index", "count") else STRING
