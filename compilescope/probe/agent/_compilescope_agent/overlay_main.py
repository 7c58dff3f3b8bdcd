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
    run, inside = exec, {"__builtins__": builtins}
    # The script must find the namespace that it would have, with nothing of ours in it.
    namespace.clear()
    namespace.update(__name__="__main__", __file__=script, __doc__=None, __spec__=None, **inside)
    run(code, namespace)


if __name__ == "__main__":
    main()
