"""The formats of `lint`: one module each with `render(result, style) -> str`."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from compilescope.lint.result import LintResult

NAMES = (
    "full",
    "concise",
    "grouped",
    "json",
    "json-lines",
    "github",
    "gitlab",
    "sarif",
    "junit",
)
FOR_PEOPLE = frozenset({"full", "concise", "grouped"})
_MODULES = {name: name.replace("-", "_") for name in NAMES} | {"json": "json_array"}


@dataclass(frozen=True)
class Style:
    """How the output may look."""

    color: bool = False
    width: int = 100
    unsafe: bool = False  # unsafe fixes would be made too

    def paint(self, text: str, *codes: int) -> str:
        """`text` in a terminal's colours."""
        if not self.color or not text:
            return text
        return f"\x1b[{';'.join(map(str, codes))}m{text}\x1b[0m"

    def link(self, text: str, url: str) -> str:
        """`text` as a terminal's link to `url`."""
        return f"\x1b]8;;{url}\x1b\\{text}\x1b]8;;\x1b\\" if self.color and url else text


BOLD, DIM, RED, GREEN, YELLOW, CYAN = 1, 2, 31, 32, 33, 36
BLUE = 94  # the plain one is hardly seen on a dark ground


def render(name: str, result: LintResult, style: Style) -> str:
    """`result` in the format called `name`; empty, or ending in a newline."""
    module = import_module(f"compilescope.lint.formats.{_MODULES[name]}")
    text: str = module.render(result, style)
    return text
