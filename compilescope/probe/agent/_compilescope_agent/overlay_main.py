"""Runs a script from changed text under its own path, as `python script.py` would run it."""

from __future__ import annotations

import builtins
import json
import os
import sys


def main() -> None:
    """Run the script that the first argument names."""
    script = sys.argv[1]
    sys.argv[:] = sys.argv[1:]
    sys.path[0] = os.path.dirname(os.path.abspath(script))
    with open(os.environ["COMPILESCOPE_OVERLAY"], encoding="utf-8") as file:
        sources = json.load(file).get("sources", {})
    text = sources.get(os.path.realpath(script), script)
    with open(text, "rb") as source:
        code = compile(source.read(), script, "exec")
    namespace = vars(sys.modules["__main__"])
    for name in ("json", "os", "sys", "builtins", "main", "annotations"):
        namespace.pop(name, None)
    namespace.update(
        __name__="__main__", __file__=script, __builtins__=builtins, __doc__=None, __spec__=None
    )
    exec(code, namespace)  # noqa: S102  running the user's program is the task


if __name__ == "__main__":
    main()
