"""A diagnosis to stdout, in the width and colours of the terminal that is there."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING

from compilescope.packs import report

if TYPE_CHECKING:
    from compilescope.diagnosis import Diagnosis


def emit(diagnosis: Diagnosis, form: str, *, everything: bool = False) -> None:
    """Print `diagnosis` as `form`.

    Raises:
        UsageError: no installed report is called `form`.
    """
    text = report(form)(diagnosis, width=_width(), color=_color(), everything=everything)
    sys.stdout.write(text if text.endswith("\n") else text + "\n")
    sys.stdout.flush()


def _width() -> int:
    # 120 columns is as far as prose reads well; a pipe gets 100.
    return min(120, shutil.get_terminal_size((100, 24)).columns)


def _color() -> bool:
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
