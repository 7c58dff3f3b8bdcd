"""How the user's line uses a Python number: which remedies can serve it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from enum import Enum
from functools import lru_cache

from compilescope.diagnose.explain_words import Words


class Use(Enum):
    """What a line needs a number for."""

    VALUE = "value"  # arithmetic, or nothing that is known
    BRANCH = "branch"
    LOOP = "loop"
    INDEX = "index"
    NUMBER = "number"  # an argument that takes a Python number only
    CONSTANT = "constant"  # an argument that is a constant of the graph, whatever holds it


# Measured with torch 2.13: a tensor for one of these breaks the graph.
_NUMBERS = frozenset(
    "alpha scale eps p dropout_p negative_slope label_smoothing scale_factor momentum delta".split()
)
# Measured with torch 2.13: each value has a graph of its own, also as a symbol or a tensor.
_CONSTANTS = frozenset(
    "dim dims axis start_dim end_dim kernel_size chunks num_classes num_groups groups "
    "upscale_factor downscale_factor".split()
)
# Measured with torch 2.13, as `_NUMBERS`: the second argument, by the name it has.
_SECOND = {"dropout": "p", "alpha_dropout": "p", "leaky_relu": "negative_slope"}
_HEADS = re.compile(r"(?P<word>if|elif|while|for|with|async for)\b.*:\s*$")


def use(words: Words) -> Use:
    """The strictest use that the line makes of the number; VALUE where the line is not known."""
    name = re.split(r"[.\[]", words.variable)[-1] if "[" not in words.variable else ""
    if not name and "." in words.source:
        name = words.source.rpartition(".")[2]
    return _use(words.line.strip(), name) if name.isidentifier() else Use.VALUE


def keyword(words: Words) -> str:
    """The argument for which the line needs a Python number."""
    name = words.source.rpartition(".")[2]
    tree = _parsed(words.line.strip())
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.keyword) and node.arg in _NUMBERS and _names(node.value, name):
            return node.arg
        if isinstance(node, ast.Call) and (second := _second(node, name)):
            return second
    return ""


def _second(call: ast.Call, name: str) -> str:
    """What a function of torch calls its second argument, where that is a Python number."""
    function, given = call.func, call.args[1:2]
    if not isinstance(function, ast.Attribute) or not given or not _names(given[0], name):
        return ""
    return _SECOND.get(function.attr, "")


@lru_cache(maxsize=4096)
def _use(line: str, name: str) -> Use:
    tree = _parsed(line)
    found = set(_uses(tree, name)) if tree else set()
    strict = (Use.LOOP, Use.BRANCH, Use.INDEX, Use.CONSTANT, Use.NUMBER)
    return next((one for one in strict if one in found), Use.VALUE)


def _uses(tree: ast.Module, name: str) -> Iterator[Use]:
    for node in ast.walk(tree):
        match node:
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
                if _names(test, name):
                    yield Use.BRANCH
            case ast.Call(func=ast.Name(id="range"), args=args):
                if any(_names(item, name) for item in args):
                    yield Use.LOOP
            case ast.Subscript(slice=index):
                if _names(index, name):
                    yield Use.INDEX
            case ast.Call(func=function, keywords=given):
                if _second(node, name):
                    yield Use.NUMBER
                yield from (
                    _by_keyword(function, one.arg or "") for one in given if _names(one.value, name)
                )


def _by_keyword(function: ast.expr, argument: str) -> Use:
    if argument in _NUMBERS:
        return Use.NUMBER
    # A function of the user's own may take it for anything.
    owner = getattr(function, "value", None)
    own = owner is None or (isinstance(owner, ast.Name) and owner.id in ("self", "model"))
    return Use.CONSTANT if argument in _CONSTANTS and not own else Use.VALUE


def _names(tree: ast.expr, name: str) -> bool:
    return any(
        (isinstance(node, ast.Name) and node.id == name)
        or (isinstance(node, ast.Attribute) and node.attr == name)
        for node in ast.walk(tree)
    )


def _parsed(line: str) -> ast.Module | None:
    """The line as a program, also where it is the head of a block; None for a part of one."""
    text = line.removeprefix("el") if line.startswith("elif") else line
    if _HEADS.match(text):
        text += " pass"
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
