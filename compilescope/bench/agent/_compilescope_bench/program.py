"""Runs a program as `python` would, and leaves its `__main__` where it is.

What it compiled is called after it has ended, and the compiler looks its globals up by module.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from types import ModuleType


def run(name: str, *, module: bool) -> None:
    """Run the script or folder `name`, or the module of that name."""
    main = ModuleType("__main__")
    if module:
        sys.path.insert(0, os.getcwd())
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.submodule_search_locations is not None:
            spec = importlib.util.find_spec(f"{name}.__main__")
        code = getattr(spec and spec.loader, "get_code", lambda _: None)(spec and spec.name)
        if spec is None or code is None:
            raise ModuleNotFoundError(f"No module named {name}", name=name)
        main.__spec__, main.__file__, main.__package__ = spec, spec.origin, spec.parent
        sys.argv[0] = spec.origin or name
    else:
        path = os.path.join(name, "__main__.py") if os.path.isdir(name) else name
        main.__file__ = path
        sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
        with open(path, "rb") as file:
            code = compile(file.read(), path, "exec")
    sys.modules["__main__"] = main
    execute = exec  # it is the program's own code
    execute(code, vars(main))
