"""Branches that a run hardly takes: measured with torch 2.13 (no break there)."""

from __future__ import annotations

import textwrap

import pytest

from compilescope.lint.engine import lint_source

HEAD = """
import argparse
import dataclasses
import logging
import os
import types
import warnings
import numpy as np
import torch
from torch import nn

logger = logging.getLogger(__name__)
"""

NOT_TAKEN = {
    "a flag read from the environment": """
        DEBUG = os.environ.get("NET_CHECKS", "0") == "1"
        def f(x):
            if DEBUG:
                print(x.sum().item())
            return x + 1
    """,
    "a number read from the environment": """
        CHECKS = bool(int(os.getenv("NET_CHECKS", "0")))
        def f(x):
            if CHECKS:
                print(x.sum().item())
            return x + 1
    """,
    "one of several words": """
        CHECKS = os.environ.get("NET_CHECKS", "").lower() in ("1", "true", "yes")
        def f(x):
            if CHECKS:
                print(x.sum().item())
            return x + 1
    """,
    "a variable that is not set": """
        CHECKS = os.environ.get("NET_CHECKS")
        def f(x):
            if CHECKS is not None:
                print(x.sum().item())
            return x + 1
    """,
    "the environment asked for a name": """
        def f(x):
            if "NET_CHECKS" in os.environ:
                print(x.sum().item())
            return x + 1
    """,
    "a switch of a parsed command line": """
        args = argparse.ArgumentParser().parse_args()
        def f(x):
            if args.verbose:
                print(x.sum().item())
            return x + 1
    """,
    "a switch of a namespace": """
        args = types.SimpleNamespace(debug=False, size=2)
        def f(x):
            if args.debug and args.size:
                print(x.sum().item())
            return x + 1
    """,
    "a field's default": """
        @dataclasses.dataclass
        class Settings:
            show: bool = False
        class Net(nn.Module):
            def __init__(self, settings):
                super().__init__()
                self.settings = settings
            def forward(self, x):
                if self.settings.show:
                    print(x.sum().item())
                return x + 1
        f = Net(Settings())
    """,
    "a key that a dictionary does not have": """
        SETTINGS = {"size": 2}
        def f(x):
            if SETTINGS.get("show"):
                print(x.sum().item())
            return x * SETTINGS["size"]
    """,
    "an optional package": """
        from elsewhere import FAST_AVAILABLE, is_fast_available
        def f(x):
            if not FAST_AVAILABLE or not is_fast_available():
                print(x.sum().item())
            return x + 1
    """,
    "the type of what is a tensor": """
        def f(x):
            if isinstance(x, np.ndarray):
                print("an array")
            if isinstance(x, (list, tuple)):
                print([int(part.sum()) for part in x])
            return x + 1
    """,
    "an array, maybe": """
        from elsewhere import ROWS
        def f(x, y=None):
            y = ROWS.get(len(x))
            if isinstance(y, np.ndarray):
                y = torch.from_numpy(y)
                print("an array")
            return x
    """,
    "a report of an unusual size": """
        def f(x):
            if x.numel() == 0:
                logger.warning("empty")
            if x.ndim != 1:
                print("unusual", x.shape)
                return None
            n = x.shape[0]
            if n > 100:
                warnings.warn("long")
            return x + 1
    """,
    "an error that goes on": """
        def f(x):
            try:
                y = x.view(2, -1)
            except RuntimeError:
                logger.exception("view")
                raise
            return y
    """,
}

TAKEN = {
    "a flag that is on": """
        CHECKS = os.environ.get("NET_CHECKS", "1") == "1"
        def f(x):
            if CHECKS:
                print(x.sum())  # !
            return x + 1
    """,
    "no debugging": """
        args = argparse.ArgumentParser().parse_args()
        def f(x):
            if not args.debug:
                print(x.sum())  # !
            return x + 1
    """,
    "a field that the call sets": """
        @dataclasses.dataclass
        class Settings:
            show: bool = False
        class Net(nn.Module):
            def __init__(self, settings):
                super().__init__()
                self.settings = settings
            def forward(self, x):
                if self.settings.show:
                    print(x.sum())  # !
                return x + 1
        f = Net(Settings(show=True))
    """,
    "a field that is set later": """
        @dataclasses.dataclass
        class Settings:
            show: bool = False
        settings = Settings()
        settings.show = True
        def f(x):
            if settings.show:
                print(x.sum())  # !
            return x + 1
    """,
    "a key that a table may have got": """
        TABLE = {}
        def f(x):
            if TABLE.get("show"):
                print(x.sum())  # !
            return x + 1
    """,
    "a size that is not a report": """
        def f(x):
            if x.shape[0] > 2:
                y = x.sum().item()  # !
            return x + 1
    """,
    "asking a logger": """
        def f(x):
            if logger.isEnabledFor(logging.DEBUG):  # !
                logger.debug("x %s", x.shape)
            return x + 1
    """,
}
CALLS = """

def make():
    return f, [(torch.randn(4),)] * 3
"""


def marked(body):
    """Lines with findings, and the lines that end in `# !`."""
    text = HEAD + textwrap.dedent(body) + CALLS
    found = lint_source(text, "code.py", compiled=("make()",), target_torch=(2, 13))
    lines = text.splitlines()
    return {f.line for f in found}, {n for n, line in enumerate(lines, 1) if line.endswith("# !")}


@pytest.mark.parametrize("name", NOT_TAKEN)
def test_what_hardly_runs_is_not_reported(name):
    found, wanted = marked(NOT_TAKEN[name])
    assert found == wanted == set()


@pytest.mark.parametrize("name", TAKEN)
def test_what_runs_is(name):
    found, wanted = marked(TAKEN[name])
    assert found == wanted
