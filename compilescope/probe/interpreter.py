"""Which Python runs the program: the one that has torch."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

from compilescope.errors import ProgramError

_QUESTION = "import importlib.util, sys; sys.exit(importlib.util.find_spec('torch') is None)"


def choose(wanted: str | None) -> str:
    """The interpreter for a script or module; `wanted` is taken at its word.

    Raises:
        ProgramError: `wanted` is no program, or none at hand has torch.
    """
    if wanted is not None:
        found = shutil.which(wanted)
        if found is None:
            raise ProgramError(
                f"cannot run {wanted}",
                cause="it does not exist or is not executable",
                hint="--python takes the path of a Python interpreter",
            )
        return found
    if importlib.util.find_spec("torch") is not None:
        return sys.executable
    found = shutil.which("python")
    if found is not None and Path(found).resolve() != Path(sys.executable).resolve():
        answer = subprocess.run(  # noqa: S603  it is the user's own interpreter
            [found, "-c", _QUESTION], check=False, capture_output=True, stdin=subprocess.DEVNULL
        )
        if answer.returncode == 0:
            return found
    raise ProgramError(
        "no Python with torch was found",
        cause=f"neither {sys.executable} nor `python` on PATH has it",
        hint="--python PATH names the interpreter of your project,"
        " or `pip install compilescope[torch]`",
    )
