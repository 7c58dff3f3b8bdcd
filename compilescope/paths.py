"""Whose code a path is, and which frame of a stack is the user's own."""

from __future__ import annotations

import re
from collections.abc import Sequence

from compilescope.model import Frame

_INSTALLED = re.compile(r"(?:^|[/\\])(?:site|dist)-packages[/\\]")
_INTERPRETER = re.compile(
    r"""^<(?!ipython-input|stdin)   # <frozen os>, <string>
      | [/\\]lib(?:64)?[/\\]python3(?:\.\d+t?)?[/\\](?!(?:site|dist)-packages[/\\])
      | [/\\](?:Python3\d+|(?:mini|ana)conda\w*|miniforge\w*|envs[/\\][^/\\]+)[/\\]Lib[/\\]
        (?!site-packages[/\\])
      | (?:^|[/\\])(?:site|dist)-packages[/\\]torch[/\\]
      | (?:^|[/\\])torch[/\\](?:_dynamo|_inductor|_functorch|_ops|_higher_order_ops|_compile|nn
            |autograd|optim|fx|utils|_subclasses|_prims|_decomp|_refs)(?:[/\\]|\.py)
      | [/\\](?:_compilescope_(?:agent|bench)[/\\]|bench_child\.py$)  # ours, in the user's process
    """,
    re.VERBOSE,
)
# What PyTorch leaves of its own paths in the comment of a guard.
_CUT_TORCH = re.compile(
    r"^(?:torch/)?(?:_\w+|nn|optim|functional|utils|distributions|autograd|fx|ao|export|overrides)"
    r"(?:[/\\][\w/\\.]+)?\.py$"
)


def is_interpreter(path: str) -> bool:
    """Whether `path` is of Python itself, of torch or of what we run beside the program."""
    return _INTERPRETER.search(path) is not None


def may_be_torch(path: str) -> bool:
    """Whether a path that PyTorch cut at the front may be what is left of one of its own."""
    return _CUT_TORCH.match(path) is not None


def is_library(path: str) -> bool:
    """Whether `path` is of Python itself or of an installed package."""
    return is_interpreter(path) or _INSTALLED.search(path) is not None


def own_frame(stack: Sequence[Frame]) -> Frame | None:
    """The innermost frame (of a stack with the outermost first) that a user would look at.

    The user's own code before that of an installed package, and that before torch and Python.
    """
    for foreign in (is_library, is_interpreter):
        for frame in reversed(stack):
            if not foreign(frame.path):
                return frame
    return stack[-1] if stack else None
