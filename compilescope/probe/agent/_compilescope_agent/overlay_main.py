"""Runs a script from changed text under its own path, as `python script.py` would run it."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run the script that the first argument names."""
    sys.argv[:] = sys.argv[1:]
    path = os.path.abspath(sys.argv[0])
    if not getattr(sys.flags, "safe_path", False):
        sys.path[0] = os.path.dirname(path)
    from _compilescope_agent import overlay, overlay_source  # type: ignore[import-not-found]

    current = overlay.current()
    real = os.path.realpath(path)
    text = overlay_source.changed(path, current.sources[real])
    current.record.applied(f"source {real}")
    code = compile(text, path, "exec", dont_inherit=True)
    namespace = vars(sys.modules["__main__"])
    # The script must find the namespace that it would have, with nothing of ours in it.
    own = {name: value for name, value in namespace.items() if name.startswith("__")}
    loader = type(own["__loader__"])("__main__", path)
    own |= {"__file__": path, "__doc__": None, "__loader__": loader}
    if "__annotations__" in own:
        own["__annotations__"] = {}
    namespace.clear()
    namespace.update(own)
    exec(code, namespace)  # noqa: S102


if __name__ == "__main__":
    main()
