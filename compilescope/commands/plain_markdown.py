"""Markdown in a terminal without boxes: headings stand at the left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.markdown import Heading, Markdown
from rich.text import Text

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult


class LeftHeading(Heading):
    """A heading in bold at the left margin, a blank line above all but the first rank."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The heading's lines."""
        if self.tag != "h1":
            yield Text()
        yield Text.assemble((self.text.plain, "bold"))


class PlainMarkdown(Markdown):
    """Markdown with left headings."""

    elements = {**Markdown.elements, "heading_open": LeftHeading}
