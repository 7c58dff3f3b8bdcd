"""Changed sources for a trial: a module is loaded from other text, under its own name and path."""

from __future__ import annotations

import os
from importlib.machinery import SourceFileLoader
from typing import Any


def replace(sources: dict[str, str]) -> None:
    """Load each file that is a key of `sources` from the text in the file that it maps to."""
    wanted = {os.path.realpath(path): text for path, text in sources.items()}
    original = SourceFileLoader.get_code

    def get_code(self: Any, fullname: str) -> Any:
        path = os.path.realpath(self.get_filename(fullname))
        if path not in wanted:
            return original(self, fullname)
        with open(wanted[path], "rb") as file:
            # Never from a cached bytecode file, and never into one.
            return self.source_to_code(file.read(), self.get_filename(fullname))

    SourceFileLoader.get_code = get_code  # type: ignore[method-assign]
