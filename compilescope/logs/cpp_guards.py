"""The guard tree that Dynamo prints, reduced to the guards that an explanation needs."""

from __future__ import annotations

import re
from functools import lru_cache

LARGEST = 300  # guards kept of one compile
_LINE = re.compile(rb"\+- ([A-Z][A-Z_]+): ([^\n]*)")
_LATENCY = re.compile(rb"Guard latency = ([\d.]+) us")
# A comment starts at the first `#` after blanks that is not inside a string.
_CODE = re.compile(r"""(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|.)*?(?=\s+#(?:\s|$)|\s*$)""")
_LONGEST = 600
# These say nothing about the inputs of a call, or say in a flag what the reason text says in full.
_LEFT_OUT = frozenset(
    {
        b"DIMENSION_DYNAMIC_MARKING_GUARD",
        b"DYNAMIC_INDICES",
        b"DICT_VERSION",
        b"GLOBAL_STATE",
        b"TORCH_FUNCTION_MODE_STACK",
        b"DEFAULT_DEVICE",
        b"NO_TENSOR_ALIASING",
        b"STORAGE_OVERLAPPING",
    }
)
_ABOUT_VALUES = frozenset(
    {
        b"TENSOR_MATCH",
        b"EQUALS_MATCH",
        b"LAMBDA_GUARD",
        b"SYMBOLIC_SHAPE_GUARD",
        b"LENGTH_CHECK",
        b"DICT_LENGTH",
        b"NONE_MATCH",
        b"TRUE_MATCH",
        b"FALSE_MATCH",
    }
)


def leaf_guards(tree: bytes) -> tuple[str, ...]:
    """The guards of a compile as `KIND: code`, without comments, each once, at most 300.

    Where there are more, guards about values of the call are kept before those about types and
    parameters; the order of the tree stays.
    """
    first: dict[bytes, int] = {}
    second: dict[bytes, int] = {}
    for number, match in enumerate(_LINE.finditer(tree)):
        kind, text = match.groups()
        if kind in _LEFT_OUT:
            continue
        about_values = kind in _ABOUT_VALUES and b"._parameters[" not in text
        group = first if about_values else second
        if len(group) < LARGEST:
            group.setdefault(kind + b": " + text[:_LONGEST], number)
    room = max(0, LARGEST - len(first))
    chosen = first | dict(list(second.items())[:room])
    ordered = sorted(chosen, key=chosen.__getitem__)
    return tuple(dict.fromkeys(_without_comment(line) for line in ordered))


def latency(tree: bytes) -> float | None:
    """Seconds that checking the guards took once, as Dynamo measured it."""
    match = _LATENCY.search(tree)
    return float(match[1]) / 1e6 if match else None


@lru_cache(maxsize=4096)  # the compiles of one function share most guards, and now the texts
def _without_comment(line: bytes) -> str:
    text = line.decode(errors="replace").rstrip()
    if "#" not in text:
        return text
    code = _CODE.match(text)
    return code[0] if code and code[0] else text
