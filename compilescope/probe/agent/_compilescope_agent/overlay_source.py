"""Changed sources for a trial: files are run from other text, under their own names and paths."""

from __future__ import annotations

import io
import linecache
import os
import subprocess
import sys
from contextlib import suppress
from importlib.machinery import SourceFileLoader
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

_RUNNER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "overlay_main.py")
_NO_SCRIPT = ("", "-", "-c", "-m")


def replace(wanted: dict[str, str], used: Callable[[str], None]) -> None:
    """Run each file whose real path is a key of `wanted` from the text in the file it maps to.

    `used` is told of each that is. Where the script of this process is one of them, the process
    begins anew.
    """
    _begin_anew(wanted)
    original, open_code = SourceFileLoader.get_code, io.open_code

    def get_code(self: Any, fullname: str) -> Any:
        filename = self.get_filename(fullname)
        path = os.path.realpath(filename)
        if path not in wanted:
            return original(self, fullname)
        used(path)
        # Never from a cached bytecode file, and never into one.
        return self.source_to_code(changed(filename, wanted[path]), filename)

    def opened(path: str) -> Any:
        real = os.path.realpath(path)
        if real not in wanted:
            return open_code(path)
        used(real)
        return io.BytesIO(changed(path, wanted[real]))

    SourceFileLoader.get_code = get_code  # type: ignore[method-assign]
    # `runpy.run_path` reads by this: so do spawned workers, for the script of their parent.
    io.open_code = opened


def changed(filename: str, text: str) -> bytes:
    """The content of the file `text`, which source lines of `filename` come from now."""
    with open(text, "rb") as file:
        content = file.read()
    lines = io.TextIOWrapper(io.BytesIO(content), encoding="utf-8", errors="replace").readlines()
    # Without a time it is never read again from the file.
    linecache.cache[filename] = (len(content), None, lines, filename)
    return content


def _begin_anew(wanted: dict[str, str]) -> None:
    """Run the script of this process through the runner, which knows how to take other text."""
    argv, original = getattr(sys, "argv", []), getattr(sys, "orig_argv", [])
    place = len(original) - len(argv)
    if not argv or argv[0] in _NO_SCRIPT or place < 1 or original[place:] != argv:
        return
    if os.path.realpath(argv[0]) not in wanted:
        return
    command = [sys.executable, *original[1:place], _RUNNER, *argv]
    with suppress(OSError):
        if os.name == "nt":  # there the parent would not wait for what takes its place
            os._exit(subprocess.call(command))  # noqa: S603
        os.execv(sys.executable, command)  # noqa: S606
