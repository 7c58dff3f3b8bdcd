"""Sessions in, diagnoses out, in the width and colours of the terminal that is there."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from compilescope.errors import InputError, VersionError
from compilescope.packs import report

if TYPE_CHECKING:
    from compilescope.diagnosis import Diagnosis
    from compilescope.model import Session


def load(path: Path) -> Session:
    """The session in `path`; an error names the command that can read what is there instead.

    Raises:
        InputError: it is not a session.
    """
    from compilescope import store

    try:
        return store.load(path)
    except VersionError:
        raise
    except InputError as error:
        if path.suffix == ".json" and store.load_tuning(path) is not None:
            raise InputError(
                f"{path} is a result of tune, not a session",
                hint=f"compilescope compare {path} shows it, compilescope report {path} is its"
                " page",
            ) from error
        form = _form(path)
        if form:
            raise InputError(
                f"{path} is a {form}, not a session",
                hint=f"compilescope logs {path} -o run.cscope.json.gz",
            ) from error
        raise


def emit(diagnosis: Diagnosis, form: str, **options: Any) -> None:
    """Print `diagnosis` as `form`; `options` are those of that report.

    Raises:
        UsageError: no installed report is called `form`.
    """
    text = report(form)(diagnosis, width=width(), color=color(), **options)
    write(text)


def write(text: str) -> None:
    """Print a result, its last line ended."""
    sys.stdout.write(text if text.endswith("\n") else text + "\n")
    sys.stdout.flush()


def width() -> int:
    """Columns to fill."""
    # 120 columns is as far as prose reads well; a pipe gets 100.
    return min(120, shutil.get_terminal_size((100, 24)).columns)


def color() -> bool:
    """Whether escape codes are welcome on stdout."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def _form(path: Path) -> str:
    from compilescope.logs import sniff

    readable = {sniff.Form.TRACE, sniff.Form.TLPARSE, sniff.Form.RAW}
    try:
        form = sniff.form_of(path)
    except InputError:
        return ""
    return form.value if form in readable else ""
