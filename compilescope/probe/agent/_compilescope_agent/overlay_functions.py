"""Functions of the program that a trial leaves to eager code, found by file and name."""

from __future__ import annotations

import os
import sys
from typing import Any


def apply(entry: dict[str, Any]) -> None:
    """Wrap the function that `entry` names in `torch.compiler.disable`."""
    torch: Any = sys.modules["torch"]
    owner, name = find(entry["path"], entry["name"], entry.get("line", 0))
    function = vars(owner)[name]
    disable = torch.compiler.disable
    if isinstance(function, staticmethod):
        setattr(owner, name, staticmethod(disable(function.__func__)))
    elif isinstance(function, classmethod):
        setattr(owner, name, classmethod(disable(function.__func__)))
    else:
        setattr(owner, name, disable(function))


def module_at(path: str) -> Any:
    """The module that was loaded from the file `path`.

    Raises:
        LookupError: no imported module came from there.
    """
    wanted = os.path.realpath(path)
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and os.path.realpath(file) == wanted:
            return module
    raise LookupError(f"no module of this process comes from {path}")


def find(path: str, name: str, line: int) -> tuple[Any, str]:
    """The module or class that holds the function `name` of the file `path`, first line `line`.

    Raises:
        LookupError: there is none, or more than one.
    """
    module = module_at(path)
    found = [
        (owner, key)
        for owner in _owners(module)
        for key, value in list(vars(owner).items())
        if _is_at(value, name, path, line)
    ]
    if len(found) != 1:
        raise LookupError(f"{len(found)} functions called {name} at line {line} of {path}")
    return found[0]


def _owners(module: Any) -> list[Any]:
    owners = [module]
    for owner in owners:
        owners += [
            value
            for value in list(vars(owner).values())
            if isinstance(value, type) and value.__module__ == module.__name__
            and value not in owners
        ]  # fmt: skip
    return owners


def _is_at(value: Any, name: str, path: str, line: int) -> bool:
    function = getattr(value, "__func__", value)
    code = getattr(function, "__code__", None)
    return (
        code is not None
        and code.co_name == name
        and os.path.realpath(code.co_filename) == os.path.realpath(path)
        and (not line or code.co_firstlineno == line)
    )
