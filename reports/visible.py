"""Foreign text made harmless to look at: control and direction characters are shown, not obeyed."""

from __future__ import annotations

import re
from typing import Any, TypeVar

import msgspec

_T = TypeVar("_T", bound=msgspec.Struct)

# What a terminal or a browser would act on: C0, DEL and C1 controls, and marks that reorder text.
_ACTIVE = [*range(9), *range(11, 32), *range(127, 160)]
_ORDER = [0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x2028, 0x2029]
_PICTURES = {
    **{code: f"<U+{code:04X}>" for code in (*_ACTIVE, *_ORDER, 0xFEFF)},
    **{code: chr(0x2400 + code) for code in _ACTIVE if code < 32},
    127: "\u2421",
}
_ANY = re.compile("[" + "".join(re.escape(chr(code)) for code in _PICTURES) + "]")
_LINE_END = re.compile(r"\r\n?")


def visible_text(text: str) -> str:
    """`text` with one visible character or name for each that would act on the reader's screen."""
    return _LINE_END.sub("\n", text).translate(_PICTURES)


def visible(value: _T) -> _T:
    """`value` with `visible_text` applied to every text in it."""
    plain = msgspec.to_builtins(value)
    if not _hostile(plain):
        return value
    return msgspec.convert(_walk(plain), type(value))


def _hostile(value: Any) -> bool:
    match value:
        case str():
            return _ANY.search(value) is not None
        case dict():
            return any(_hostile(key) or _hostile(item) for key, item in value.items())
        case list() | tuple():
            return any(_hostile(item) for item in value if not isinstance(item, (int, float)))
        case _:
            return False


def _walk(value: Any) -> Any:
    match value:
        case str():
            return visible_text(value)
        case dict():
            return {_walk(key): _walk(item) for key, item in value.items()}
        case list() | tuple():
            return [_walk(item) for item in value]
        case _:
            return value
