"""The guards of a compile as checks that can be made again, read once for all compiles."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import lru_cache

from compilescope.diagnose.explain_words import as_written

_LOCAL = re.compile(r"\bL\['(\w+)'\]")
_KIND = re.compile(r"^[A-Z_]+: ")
_COMMENT = re.compile(r"\s+# ")
_TENSOR = re.compile(
    r"check_tensor\((?P<source>.+), (?:\w+\.)*\w+, DispatchKeySet\([^)]*\), (?P<dtype>torch\.\w+), "
    r"device=(?P<device>[^,]+), requires_grad=(?P<grad>\w+), "
    r"size=\[(?P<size>[^\]]*)\], stride=\[(?P<stride>[^\]]*)\]\)"
)
_TYPE = re.compile(r"^___check_type_id\((?P<source>.+), \d+\), type=<class '(?P<type>[^']+)'>$")
_MEMBER = re.compile(r"^(?P<no>not )?(?:___dict_contains|set\.__contains__|hasattr)\(.+\)$")
_NONE = re.compile(r"^(?P<source>\S+) is None$")
_SAME = re.compile(r"^(?P<one>[^\s(]+) is (?P<other>(?!None$)[^\s(]+)$")
_EMPTY = re.compile(r"^not (?P<source>[A-Za-z_][\w.\[\]'\"]*)$")
# A number that is open in torch before 2.10.
_OPEN = re.compile(r"^(?P<source>\S.*?) == ___as_tensor\((?P=source)\)\.item\(\)$")
_EQUALS = re.compile(r"^(?P<source>[^=<>!]+?) == (?P<value>.+)$")


@dataclass(frozen=True, eq=False)
class TensorCheck:
    """The properties of a tensor; a size or stride is None where the graph leaves it open."""

    source: str
    key: str
    dtype: str
    requires_grad: str
    sizes: tuple[int | None, ...]
    strides: tuple[int | None, ...]


@dataclass(frozen=True, eq=False)
class ValueCheck:
    """A plain value: a number, a string, `None`, the length of a container."""

    source: str
    key: str
    value: str


@dataclass(frozen=True, eq=False)
class TypeCheck:
    """The class of a value."""

    source: str
    key: str
    type: str


@dataclass(frozen=True, eq=False)
class MemberCheck:
    """Whether a key or an attribute is there."""

    text: str
    member: str  # the text without its polarity
    there: bool


@dataclass(frozen=True, eq=False)
class SameCheck:
    """Whether two names are of one object."""

    text: str
    keys: tuple[str, str]


@dataclass(frozen=True, eq=False)
class Relation:
    """A condition over sizes, strides and numbers."""

    text: str
    tree: ast.expr


Check = TensorCheck | ValueCheck | TypeCheck | MemberCheck | SameCheck | Relation


@lru_cache(maxsize=4096)
def checks_of(guards: tuple[str, ...]) -> tuple[Check, ...]:
    """The checks of a compile, in the order of its guards."""
    return tuple(check for guard in guards if (check := read(guard)) is not None)


@lru_cache(maxsize=65536)
def read(guard: str) -> Check | None:
    """The check that `guard` makes, None where a session cannot repeat it."""
    text = _KIND.sub("", guard, count=1)
    text = _LOCAL.sub(r"\1", _COMMENT.split(text, maxsplit=1)[0].strip())
    if match := _TENSOR.search(text):
        sizes, strides = _numbers(match["size"]), _numbers(match["stride"])
        source = match["source"]
        key = as_written(source)
        return TensorCheck(source, key, match["dtype"], match["grad"], sizes, strides)
    if match := _TYPE.match(text):
        return TypeCheck(match["source"], as_written(match["source"]), match["type"])
    if match := _SAME.match(text):
        return SameCheck(text, (as_written(match["one"]), as_written(match["other"])))
    if match := _OPEN.match(text):
        return TypeCheck(match["source"], as_written(match["source"]), "float")
    if match := _MEMBER.match(text):
        return MemberCheck(text, text.removeprefix("not "), not match["no"])
    if ".size()" in text or ".stride()" in text:
        return _relation(text)
    return _value(text)


def _numbers(text: str) -> tuple[int | None, ...]:
    parts = [part.strip() for part in text.split(",")] if text.strip() else []
    return tuple(int(part) if part.isdecimal() else None for part in parts)


def _relation(text: str) -> Relation | None:
    try:
        return Relation(text, ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _value(text: str) -> ValueCheck | None:
    if match := _NONE.match(text):
        source, value = match["source"], "None"
    elif match := _EMPTY.match(text):
        source, value = f"len({match['source']})", "0"
    elif match := _EQUALS.match(text):
        source, value = match["source"].strip(), match["value"].strip()
    else:
        return None
    return ValueCheck(source, as_written(source), value)
