"""What a Triton kernel was compiled for, where it is written and who launched it."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_LONGEST = 120
_MOST_ARGUMENTS = 200
_MOST_SHOWN = 20
_DEEPEST = 80
_NO_FILES = ("<frozen", "<string>", "<eval_with_key>")
_HERE = os.path.dirname(os.path.abspath(__file__))


def arguments(src: Any) -> list[dict[str, Any]]:
    """Each argument's type, its value where it is a constant, and whether 16 divides it."""
    function = getattr(src, "fn", None)
    signature = getattr(src, "signature", None)
    if function is None or not isinstance(signature, dict):
        return []
    names = list(getattr(function, "arg_names", ()))
    constants = _by_path(getattr(src, "constants", None) or {}, names)
    divisible = _divisible(getattr(src, "attrs", None))
    found: list[dict[str, Any]] = []
    for number, name in enumerate(names):
        kind = signature.get(name, signature.get(number, ""))
        for path, part, part_kind in _parts((number,), name, kind):
            entry: dict[str, Any] = {"name": part, "type": str(part_kind) or "constexpr"}
            if path in constants:
                entry["value"] = value_as_text(constants[path])
            if path in divisible:
                entry["divisible"] = True
            found.append(entry)
    return found[:_MOST_ARGUMENTS]


def declared(function: Any) -> dict[str, list[str]]:
    """The arguments that are constants by declaration, and those that are not specialised."""
    constants, free = [], []
    for parameter in getattr(function, "params", ()) or ():
        if getattr(parameter, "is_constexpr", False):
            constants.append(str(parameter.name))
        if getattr(parameter, "do_not_specialize", False):
            free.append(str(parameter.name))
    return {"constexprs": constants[:_MOST_ARGUMENTS], "free": free[:_MOST_ARGUMENTS]}


def place(function: Any) -> dict[str, Any]:
    """Where the kernel is written."""
    written = getattr(function, "fn", None)
    code = getattr(written, "__code__", None)
    if code is None:
        return {}
    return {
        "path": code.co_filename,
        "line": code.co_firstlineno,
        "function": code.co_name,
        **declared(function),
    }


def launch() -> dict[str, Any]:
    """The innermost line outside of Triton and torch, and whether inductor stands between."""
    frame: Any = sys._getframe(1)  # noqa: SLF001
    inductor = False
    foreign = (_HERE, *_NO_FILES, *_folders("triton", "torch"))
    inside = tuple(os.path.join(folder, "_inductor") for folder in _folders("torch"))
    for _ in range(_DEEPEST):
        if frame is None:
            break
        path = frame.f_code.co_filename
        if inside and path.startswith(inside):
            inductor = True
        elif not path.startswith(foreign):
            if inductor:
                break
            return {
                "launched": path,
                "launch_line": frame.f_lineno,
                "launch_function": frame.f_code.co_name,
            }
        frame = frame.f_back
    return {"inductor": inductor}


def _folders(*packages: str) -> list[str]:
    """Where these packages lie; a program's own folder may well be called like one of them."""
    files = (getattr(sys.modules.get(name), "__file__", None) for name in packages)
    return [os.path.dirname(file) + os.sep for file in files if file]


def _parts(path: tuple[int, ...], name: str, kind: Any) -> Iterator[tuple[Any, str, Any]]:
    """An argument, or the elements of one that is a tuple."""
    if not isinstance(kind, (tuple, list)):
        yield path, name, kind
        return
    for number, inner in enumerate(kind):
        yield from _parts((*path, number), f"{name}[{number}]", inner)


def _by_path(given: Any, names: list[str]) -> dict[tuple[Any, ...], Any]:
    """Constants are keyed by path (3.3 and newer), by number or by name."""
    found = {}
    for key, value in dict(given).items():
        number = names.index(key) if key in names else key
        found[number if isinstance(number, tuple) else (number,)] = value
    return found


def _divisible(attrs: Any) -> set[tuple[Any, ...]]:
    properties = getattr(attrs, "arg_properties", None)
    if isinstance(properties, dict):  # up to 3.2
        return {(number,) for number in properties.get("tt.divisibility", ())}
    found = set()
    for key, entries in attrs.items() if isinstance(attrs, dict) else ():
        listed = entries if isinstance(entries, (list, tuple)) else ()
        if any(list(entry[:1]) == ["tt.divisibility"] for entry in listed):
            found.add(key if isinstance(key, tuple) else (key,))
    return found


def value_as_text(value: Any) -> str:
    """A plain value as Python writes it; of any other object only its class, never its `repr`."""
    inner = getattr(value, "value", value) if type(value).__name__ == "constexpr" else value
    if type(inner) in (bool, int, float, str, type(None)):
        return repr(inner)[:_LONGEST]
    if type(inner).__name__ == "dtype":
        return str(inner)[:_LONGEST]
    if type(inner) in (tuple, list):
        return f"({', '.join(value_as_text(one) for one in inner[:_MOST_SHOWN])})"[:_LONGEST]
    name = getattr(inner, "__name__", None)  # of a kernel or function
    return name[:_LONGEST] if type(name) is str else type(inner).__name__
