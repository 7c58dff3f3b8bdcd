"""The spec file: what the arguments of a compiled callable can be, in the user's word."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import msgspec

from compilescope.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:  # pragma: no cover  the newest Python reads it itself
    import tomli as tomllib

_EXAMPLE = '[arguments.x]  shape = ["1..64", "*"]'


class Argument(msgspec.Struct, forbid_unknown_fields=True):
    """What one argument can be beside what came."""

    shape: list[str | int] = []  # "1..64" a range, "0|8..64" several, 5 a size, "*" as it came
    dtype: list[str] = []
    layout: list[str] = []
    requires_grad: list[bool] = []
    none: bool = False
    values: list[bool | int | float | str] = []
    length: str = ""  # of a list: "1..8"
    optional: list[str | int] = []  # keys of a dict that may be absent


class Modes(msgspec.Struct, forbid_unknown_fields=True):
    """The modes in which calls can come."""

    grad: list[bool] = []
    inference: list[bool] = []
    training: list[bool] = []
    autocast: list[str] = []  # "off", "cpu:bfloat16"
    dtype: list[str] = []  # the default dtype


class Spec(msgspec.Struct, forbid_unknown_fields=True):
    """The whole file."""

    arguments: dict[str, Argument] = {}
    modes: Modes = msgspec.field(default_factory=Modes)


def read_spec(path: Path) -> dict[str, Any]:
    """The file as the agent wants it.

    Raises:
        InputError: it cannot be read, is no TOML, or says something unknown.
    """
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        spec = msgspec.convert(content, Spec)
        arguments = {name: _argument(one) for name, one in spec.arguments.items()}
    except OSError as error:
        raise InputError(f"cannot read {path}", cause=error.strerror or str(error)) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is no TOML", cause=str(error)) from error
    except (msgspec.ValidationError, ValueError) as error:
        raise InputError(
            f"{path} is no forecast spec", cause=str(error), hint=f"for example {_EXAMPLE}"
        ) from error
    return {"arguments": arguments, "modes": _filled(spec.modes)}


def _argument(may: Argument) -> dict[str, Any]:
    found = _filled(may)
    if may.shape:
        found["shape"] = [
            None if size == "*" else [_range(part) for part in str(size).split("|")]
            for size in may.shape
        ]
    if may.length:
        found["length"] = _range(may.length)
    return found


def _filled(part: msgspec.Struct) -> dict[str, Any]:
    return {name: value for name, value in msgspec.structs.asdict(part).items() if value}


def _range(text: str | int) -> tuple[int, int]:
    low, dots, high = str(text).partition("..")
    if not low.isdigit() or (dots and not high.isdigit()):
        raise ValueError(f"{text!r} is neither a size nor a range as in 1..64")
    found = int(low), int(high or low)
    if found[0] > found[1]:
        raise ValueError(f"{text!r} ends before it begins")
    return found
