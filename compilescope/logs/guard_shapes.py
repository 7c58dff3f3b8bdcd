"""What a symbolic expression over sizes and numbers says."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from compilescope.logs.sources import Source, source_of

_PROPERTIES = {"size", "stride", "storage_offset"}
_FUNCTIONS = {  # last part of a function's name to the kind it makes
    "sqrt": "sqrt",
    "_sym_sqrt": "sqrt",
    "ceil": "ceil",
    "floor": "floor",
    "trunc": "floor",
    "round": "round",
    "max": "max",
    "sym_max": "max",
    "Max": "max",
    "min": "min",
    "sym_min": "min",
    "Min": "min",
    "pow": "power",
    "Pow": "power",
    "Mod": "mod",
    "PythonMod": "mod",
    "FloorDiv": "floordiv",
    "CleanDiv": "floordiv",
    "TrueDiv": "truediv",
    "IntTrueDiv": "truediv",
    "FloatTrueDiv": "truediv",
    "CeilToInt": "ceil",
    "FloorToInt": "floor",
    "TruncToInt": "floor",
    "Trunc": "floor",
    "RoundToInt": "round",
}
_CASTS = {"int", "float", "sym_int", "sym_float", "bool"}
_PRECEDENCE = ("sqrt", "ceil", "floor", "round", "max", "min", "power", "product", "mod")
_LATER = ("truediv", "floordiv", "function")
_OPERATORS: dict[type[ast.operator], str] = {
    ast.Mod: "mod",
    ast.FloorDiv: "floordiv",
    ast.Div: "truediv",
    ast.Pow: "power",
}
_RELATIONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}


@dataclass
class Atom:
    """A symbolic number: one property of a tensor, or a plain number."""

    source: Source
    what: str = ""  # "size", "stride", "storage_offset", "" for a plain number
    dimension: int | None = None

    @property
    def text(self) -> str:
        """The number as the user would write it."""
        if not self.what:
            return self.source.text
        dimension = "" if self.dimension is None else self.dimension
        return f"{self.source.text}.{self.what}({dimension})"


@dataclass
class Shape:
    """A relation over symbolic numbers."""

    atoms: list[Atom] = field(default_factory=list)
    operations: set[str] = field(default_factory=set)
    relations: list[str] = field(default_factory=list)
    constants: list[int | float] = field(default_factory=list)
    text: str = ""
    connective: str = ""  # "or", "and", "not"
    strange: bool = False  # something in it is neither number nor operation


def read_shape(node: ast.expr) -> Shape | None:
    """The relation that a guard's tree states; None where it is no relation of numbers."""
    shape = Shape()
    relation = node
    if isinstance(node, ast.BoolOp):
        shape.connective = "or" if isinstance(node.op, ast.Or) else "and"
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        shape.connective = "not"
        relation = node.operand
    elif not isinstance(node, ast.Compare):
        return None
    try:
        shape.text = _walk(relation, shape, 0)
    except RecursionError:
        return None
    return None if shape.strange or not shape.atoms else shape


def kind_of(shape: Shape) -> str:
    """The kind within the shape family, or of numbers where no size takes part."""
    properties = {atom.what for atom in shape.atoms}
    if shape.connective == "or" and properties != {""}:
        return "shape.or"
    if "" in properties and (properties == {""} or not _is_equality(shape)):
        return _number_kind(shape)
    for name in ("storage_offset", "stride"):
        if name in properties:
            return f"shape.{name}"
    for operation in (*_PRECEDENCE, *_LATER):
        if operation in shape.operations:
            return f"shape.{operation}"
    if shape.connective in {"and", "not"} and len(shape.relations) > 1:
        return "shape.and"
    return _plain_kind(shape)


def _is_equality(shape: Shape) -> bool:
    return bool(shape.relations) and set(shape.relations) <= {"==", "!="}


def _plain_kind(shape: Shape) -> str:
    two = len({atom.text for atom in shape.atoms}) > 1
    arithmetic = bool(shape.operations & {"sum", "multiple"})
    if "==" in shape.relations:
        return "shape.derived" if arithmetic else "shape.eq"
    if "!=" in shape.relations:
        return "shape.ne"
    if two and "sum" in shape.operations:
        return "shape.sum"
    return "shape.relational" if two else "shape.range"


def _number_kind(shape: Shape) -> str:
    if "isnan" in shape.operations:
        return "const.nan"
    if "mod" in shape.operations:
        return "const.int_mod"
    if any(isinstance(constant, float) for constant in shape.constants):
        return "const.float_range"
    if shape.relations == ["=="] and not shape.operations:
        return "const.int"
    return "const.int_range"


def _walk(node: ast.expr, shape: Shape, depth: int) -> str:
    """Notes what the tree contains; returns it with sizes as the user would write them."""
    if isinstance(node, ast.BoolOp):
        word = " or " if isinstance(node.op, ast.Or) else " and "
        return word.join(_walk(value, shape, depth + 1) for value in node.values)
    if isinstance(node, ast.Compare):
        return _compare(node, shape, depth)
    if isinstance(node, ast.BinOp):
        return _operation(node, shape, depth)
    if isinstance(node, ast.UnaryOp):
        sign = {ast.USub: "-", ast.UAdd: "+", ast.Not: "not ", ast.Invert: "~"}[type(node.op)]
        return sign + _walk(node.operand, shape, depth + 1)
    if isinstance(node, ast.Constant):
        if isinstance(node.value, int | float):
            shape.constants.append(node.value)
        else:
            shape.strange = True
        return repr(node.value)
    return _leaf(node, shape, depth)


def _compare(node: ast.Compare, shape: Shape, depth: int) -> str:
    text = _walk(node.left, shape, depth + 1)
    for operator, right in zip(node.ops, node.comparators, strict=True):
        relation = _RELATIONS.get(type(operator), "")
        if not relation:
            shape.strange = True
        shape.relations.append(relation)
        text += f" {relation} {_walk(right, shape, depth + 1)}"
    return text


def _operation(node: ast.BinOp, shape: Shape, depth: int) -> str:
    before = len(shape.atoms)
    left = _walk(node.left, shape, depth + 1)
    between = len(shape.atoms)
    right = _walk(node.right, shape, depth + 1)
    after = len(shape.atoms)
    if isinstance(node.op, ast.Mult):
        both = between > before and after > between
        shape.operations.add("product" if both else "multiple")
        if left == "-1":
            return f"-{_wrap(node.right, right)}"
        return f"{_wrap(node.left, left)}*{_wrap(node.right, right)}"
    if isinstance(node.op, ast.Add | ast.Sub):
        both = between > before and after > between
        shape.operations.add("sum" if both else "multiple")
        if isinstance(node.op, ast.Add) and right.startswith("-"):
            return f"{left} - {right[1:]}"
        return f"{left} {'+' if isinstance(node.op, ast.Add) else '-'} {_wrap(node.right, right)}"
    operation = _OPERATORS.get(type(node.op))
    if operation is None:
        shape.strange = True
        return f"{left} ? {right}"
    shape.operations.add(operation)
    sign = {"mod": " % ", "floordiv": " // ", "truediv": " / ", "power": "**"}[operation]
    return f"{_wrap(node.left, left)}{sign}{_wrap(node.right, right)}"


def _wrap(node: ast.expr, text: str) -> str:
    return f"({text})" if isinstance(node, ast.BinOp) else text


def _leaf(node: ast.expr, shape: Shape, depth: int) -> str:
    atom = _atom(node)
    if atom is not None:
        shape.atoms.append(atom)
        return atom.text
    if isinstance(node, ast.Call):
        name = _last_name(node.func)
        if node.keywords or not node.args or not name:
            shape.strange = True
        if name == "isnan":
            shape.operations.add("isnan")
        elif name not in _CASTS:
            shape.operations.add(_FUNCTIONS.get(name, "function"))
        arguments = [_walk(argument, shape, depth + 1) for argument in node.args]
        if name in _CASTS and len(arguments) == 1:
            return arguments[0]
        return f"{name.removeprefix('_sym_').removeprefix('sym_')}({', '.join(arguments)})"
    shape.strange = True
    return ast.unparse(node)


def _atom(node: ast.expr) -> Atom | None:
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        call, index = node.value, node.slice.value
        if _is_property(call) and isinstance(index, int):
            return Atom(source_of(call.func.value), call.func.attr, index)  # type: ignore[attr-defined]
    if _is_property(node):
        return Atom(source_of(node.func.value), node.func.attr)  # type: ignore[attr-defined]
    if isinstance(node, ast.Name | ast.Attribute | ast.Subscript):
        return Atom(source_of(node))
    if isinstance(node, ast.Call) and not _is_function(node.func):
        return Atom(source_of(node))
    return None


def _is_function(node: ast.expr) -> bool:
    """Whether a call computes a number, and does not read a value (`dict.__getitem__(d, 'k')`)."""
    name = _last_name(node)
    if name in _FUNCTIONS or name in _CASTS or name == "isnan" or name[:1].isupper():
        return True
    root = node.value if isinstance(node, ast.Attribute) else None
    return isinstance(root, ast.Name) and root.id in {"math", "torch", "sympy"}


def _is_property(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in _PROPERTIES
        and not node.args
    )


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
