"""Text of unknown origin made safe to show: what is invisible becomes visible."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

Struct = TypeVar("Struct", bound=msgspec.Struct)

_PICTURES = {code: chr(0x2400 + code) for code in range(32) if chr(code) not in "\n\t"}
_NAMED = [0x7F, *range(0x80, 0xA0), 0x061C, 0xFEFF]
# Marks that turn the direction of writing can make code read as something else.
_NAMED += [*range(0x200B, 0x2010), *range(0x2028, 0x202F), *range(0x2060, 0x2070)]
_TABLE: dict[int, str] = {**_PICTURES, **{code: f"<U+{code:04X}>" for code in _NAMED}}


def printable(text: str) -> str:
    """`text` in which control characters and marks of direction can be seen."""
    if text.isascii() and text.isprintable():
        return text
    return text.translate(_TABLE)


def rewritten(struct: Struct, change: Callable[[str], str]) -> Struct:
    """`struct` with `change` made to every text in it, keys included."""
    content = _walk(msgspec.to_builtins(struct), change)
    return msgspec.convert(content, type(struct), strict=False)


def _walk(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {_walk(key, change): _walk(item, change) for key, item in value.items()}
    if isinstance(value, list | tuple):
        if value and isinstance(value[0], float | int):
            return value
        return [_walk(item, change) for item in value]
    return value
