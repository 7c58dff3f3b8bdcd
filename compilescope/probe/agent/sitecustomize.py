"""Starts the agent in a Python process, then hands over to the sitecustomize that was there before.

Python imports this module because the launcher puts its folder on PYTHONPATH. Whatever happens
here, the program must find `sys.path` and `sitecustomize` as it would without the probe.
"""

from __future__ import annotations

import os
import sys

_FOLDER = os.path.dirname(os.path.abspath(__file__))


def _start() -> None:
    try:
        import _compilescope_agent  # type: ignore[import-not-found]

        _compilescope_agent.start()
    except Exception:  # noqa: BLE001, S110  the program comes first
        pass
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != _FOLDER]


def _hand_over() -> None:
    own = sys.modules.pop(__name__, None)
    for finder in list(sys.meta_path):
        find_spec = getattr(finder, "find_spec", None)
        spec = find_spec(__name__, None) if find_spec else None
        if spec is not None and spec.loader is not None:
            break
    else:
        if own is not None:
            sys.modules[__name__] = own
        # `site` takes exactly this to mean that there is no sitecustomize.
        raise ImportError("no sitecustomize", name=__name__)
    from importlib.util import module_from_spec

    module = module_from_spec(spec)
    sys.modules[__name__] = module
    spec.loader.exec_module(module)


if __name__ == "sitecustomize":
    _start()
    _hand_over()
