"""What an undeclared parameter must be, by the way the function uses it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from compilescope.lint.index import descend
from compilescope.lint.torch_table import FUNCTIONAL, FUNCTIONS, METHODS
from compilescope.lint.values import ASSUMED, UNKNOWN, Value, tensor

if TYPE_CHECKING:
    from compilescope.lint.index import Function, FunctionNode

# Names that lists, dicts, strings, arrays, modules or configurations have, too.
SHARED = frozenset(
    """
    T all any clip copy copy_ count count_nonzero data dot dtype fill flatten float get index
    int item items keys mean max min name names pop prod real imag repeat reshape resize round
    shape size sort split squeeze std storage strides sum swapaxes take to tolist trace transpose
    type update values var view device cuda cpu half double bool apply_ eval train parameters
    register_hook requires_grad_ is_cuda ndim clone grad nbytes itemsize
    """.split()
)
ONLY_TENSOR = frozenset(METHODS) - SHARED
SHAPE_LIKE = frozenset(
    "shape size ndim dim device dtype to view sum mean max min abs any all float reshape flatten "
    "squeeze transpose clone detach split item T is_cuda std var prod repeat".split()
)

_cache: dict[ast.AST, dict[str, Value]] = {}


def evidence(function: Function, name: str) -> Value:
    """A tensor where the uses of the parameter say so, else unknown."""
    node = function.node
    if node not in _cache:
        if len(_cache) > 5000:
            _cache.clear()
        methods = function.owner.methods if function.owner is not None else ()
        _cache[node] = _collect(node, frozenset(methods))
    return _cache[node].get(name, UNKNOWN)


def _collect(function: FunctionNode, methods: frozenset[str]) -> dict[str, Value]:
    strong: set[str] = set()
    weak: set[str] = set()
    against: set[str] = set()
    body = function.body if isinstance(function.body, list) else [function.body]
    for statement in body:
        for node in descend(statement):
            if isinstance(node, ast.Call):
                _weigh_call(node, methods, strong, weak, against)
            else:
                _weigh(node, strong, weak, against)
    return {name: tensor("", ASSUMED) for name in strong | weak if name not in against}


def _weigh(node: ast.AST, strong: set[str], weak: set[str], against: set[str]) -> None:
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        _weigh_attribute(node.value.id, node.attr, strong, weak, against)
    elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
        if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
            against.add(node.value.id)
        elif isinstance(node.slice, ast.Tuple):
            strong.add(node.value.id)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        sides = (node.left, node.right)
        strong.update(side.id for side in sides if isinstance(side, ast.Name))
    elif isinstance(node, ast.Compare) and isinstance(node.left, ast.Name):
        others = [o.value for o in node.comparators if isinstance(o, ast.Constant)]
        if any(isinstance(value, str | bool) for value in others):
            against.add(node.left.id)


def _weigh_attribute(
    name: str, attribute: str, strong: set[str], weak: set[str], against: set[str]
) -> None:
    if attribute in ONLY_TENSOR:
        strong.add(name)
    elif attribute in SHAPE_LIKE:
        weak.add(name)
    elif attribute not in METHODS:
        against.add(name)


def _weigh_call(
    node: ast.Call,
    methods: frozenset[str],
    strong: set[str],
    weak: set[str],
    against: set[str],
) -> None:
    function = node.func
    if isinstance(function, ast.Name):
        if function.id == "isinstance" and isinstance(node.args[0], ast.Name):
            against.add(node.args[0].id)  # it may be several things, and the test says which
        against.add(function.id)
        return
    first = node.args[0] if node.args else None
    if not isinstance(first, ast.Name) or not isinstance(function, ast.Attribute):
        return
    owner = function.value
    if isinstance(owner, ast.Name) and owner.id in ("torch", "F"):
        table = FUNCTIONS if owner.id == "torch" else FUNCTIONAL
        if table.get(function.attr) in ("tensor", "tensors") and function.attr not in _FACTORIES:
            strong.add(first.id)
    elif isinstance(owner, ast.Name) and owner.id == "self" and function.attr not in methods:
        weak.add(first.id)


_FACTORIES = frozenset(
    """
    arange as_tensor asarray cat concat concatenate stack hstack vstack dstack column_stack empty
    eye from_numpy full linspace logspace ones rand randint randn randperm tensor zeros
    block_diag cartesian_prod einsum meshgrid tril_indices triu_indices broadcast_tensors
    scalar_tensor normal frombuffer empty_strided
    """.split()
)
