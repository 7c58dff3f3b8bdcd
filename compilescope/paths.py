"""Whose code a path is."""

from __future__ import annotations

import re

_LIBRARY = re.compile(
    r"""^<(?!ipython-input|stdin)   # <frozen os>, <string>
      | (?:^|[/\\])(?:site|dist)-packages[/\\]
      | [/\\]lib(?:64)?[/\\]python3(?:\.\d+t?)?[/\\]          # the standard library
      | [/\\](?:Python3\d+|(?:mini|ana)conda\w*|miniforge\w*|envs[/\\][^/\\]+)[/\\]Lib[/\\]
      | (?:^|[/\\])torch[/\\](?:_dynamo|_inductor|_functorch|_ops|_higher_order_ops|_compile|nn
            |autograd|optim|fx|utils|_subclasses|_prims|_decomp|_refs)(?:[/\\]|\.py)
    """,
    re.VERBOSE,
)


def is_library(path: str) -> bool:
    """Whether `path` is of Python itself or of an installed package."""
    return _LIBRARY.search(path) is not None
