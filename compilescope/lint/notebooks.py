"""Notebooks: their code cells as one text that parses, and edits put back into the cells."""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from functools import cached_property
from typing import Any

import msgspec

from compilescope.lint.spans import Edit, apply, split_lines

_MAGIC = re.compile(r"\s*[%!?]|\s*[\w.]+\?{1,2}\s*$")
_ASSIGNED_MAGIC = re.compile(r"(\s*[A-Za-z_][\w.,\s\[\]]*=\s*)([%!].*)$")
_PYTHON_CELL_MAGICS = frozenset({"%%capture", "%%prun", "%%time", "%%timeit", "%%memit"})


class NotebookError(ValueError):
    """JSON that is not a notebook of Python."""


class Notebook:
    """A notebook file: its JSON and the code cells in it, each ending in a newline."""

    def __init__(self, content: dict[str, Any], cells: list[str], style: tuple[str, bool]) -> None:
        self.content = content
        self.cells = cells
        self._indent, self._final_newline = style

    @cached_property
    def code(self) -> str:
        """All cells as the user wrote them, one below the other."""
        return "".join(self.cells)

    @cached_property
    def text(self) -> str:
        """The same, of the same length, with what is not Python blanked out."""
        return "".join(_blank(cell) for cell in self.cells)

    @cached_property
    def _starts(self) -> list[int]:
        starts, position = [], 0
        for cell in self.cells:
            starts.append(position)
            position += len(cell)
        return starts

    @cached_property
    def _numbers(self) -> list[int]:
        return [n for n, cell in enumerate(self.content["cells"], start=1) if _is_code(cell)]

    @cached_property
    def _first_lines(self) -> list[int]:
        first, line = [], 1
        for cell in self.cells:
            first.append(line)
            line += len(split_lines(cell))
        return first

    def place(self, line: int) -> tuple[int, int]:
        """The cell, from 1 among all cells, and the line in it, for a line of `text`."""
        if not self.cells:
            return 1, line
        index = max(bisect_right(self._first_lines, line) - 1, 0)
        return self._numbers[index], line - self._first_lines[index] + 1

    def cell(self, number: int) -> str:
        """The code of the cell that `place` numbers so."""
        return self.cells[self._numbers.index(number)]

    def edited(self, edits: list[Edit]) -> Notebook:
        """The notebook after `edits` to `text`; an edit that crosses cells is not made."""
        by_cell: dict[int, list[Edit]] = {}
        for edit in edits:
            index = bisect_right(self._starts, edit.start) - 1
            start = self._starts[index]
            if edit.end <= start + len(self.cells[index]):
                moved = Edit(edit.start - start, edit.end - start, edit.text)
                by_cell.setdefault(index, []).append(moved)
        cells = [apply(cell, by_cell.get(index, [])) for index, cell in enumerate(self.cells)]
        return Notebook(self.content, cells, (self._indent, self._final_newline))

    def dump(self) -> str:
        """The file, formatted as it was."""
        texts = iter(self.cells)
        cells = []
        for cell in self.content["cells"]:
            if _is_code(cell):
                text = next(texts)
                whole = _joined(cell["source"])
                text = text if whole.endswith("\n") or not text.endswith("\n") else text[:-1]
                source = text if isinstance(cell["source"], str) else split_lines(text)
                cells.append({**cell, "source": source})
            else:
                cells.append(cell)
        import json  # keeps the order of keys and the indentation

        separators = None if self._indent else (",", ":")
        text = json.dumps(
            {**self.content, "cells": cells},
            ensure_ascii=False,
            indent=self._indent or None,
            separators=separators,
        )
        return text + ("\n" if self._final_newline else "")


def parse_notebook(data: bytes) -> Notebook:
    """The notebook that `data` holds.

    Raises:
        NotebookError: it is not a notebook, or one of another language.
    """
    try:
        content = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise NotebookError(f"is not a notebook: {error}") from error
    if not isinstance(content, dict) or not isinstance(content.get("cells"), list):
        raise NotebookError("is not a notebook: it has no list of cells (nbformat 4)")
    cells = []
    python = _language(content) in ("", "python")
    for cell in content["cells"] if python else ():
        if _is_code(cell):
            text = _joined(cell["source"])
            cells.append(text if text.endswith("\n") else text + "\n")
    indent = re.search(rb"\{\r?\n([ \t]+)", data)
    style = (indent.group(1).decode() if indent else "", data.endswith(b"\n"))
    return Notebook(content, cells, style)


def _language(content: dict[str, Any]) -> str:
    metadata: object = content.get("metadata")
    info = metadata.get("language_info") if isinstance(metadata, dict) else None
    name = info.get("name") if isinstance(info, dict) else ""
    return name if isinstance(name, str) else ""


def _is_code(cell: Any) -> bool:
    return (
        isinstance(cell, dict)
        and cell.get("cell_type") == "code"
        and isinstance(cell.get("source"), (str, list))
    )


def _joined(source: str | list[str]) -> str:
    return source if isinstance(source, str) else "".join(source)


def _blank(cell: str) -> str:
    if _parses(cell):  # a line that starts with `%` may continue an expression
        return cell
    lines = split_lines(cell)
    first = next((line.split() for line in lines if line.strip()), [""])
    if first[0].startswith("%%") and first[0] not in _PYTHON_CELL_MAGICS:
        return "".join(_blanked("", line, "#") for line in lines)
    out, continued = [], False
    for line in lines:
        assigned = _ASSIGNED_MAGIC.match(line.rstrip("\r\n"))
        if assigned and not continued:
            out.append(_blanked(assigned.group(1), line, "0"))
        elif continued:
            out.append(_blanked("", line, "#"))
            continued = line.rstrip("\r\n").endswith("\\")
        elif _MAGIC.match(line.rstrip("\r\n")):
            out.append(_blanked(line[: len(line) - len(line.lstrip(" \t"))], line, "0"))
            continued = line.rstrip("\r\n").endswith("\\")
        else:
            out.append(line)
    return "".join(out)


def _parses(cell: str) -> bool:
    try:
        ast.parse(cell)
    except (SyntaxError, ValueError):
        return False
    return True


def _blanked(kept: str, line: str, mark: str) -> str:
    """`kept`, then `mark` and spaces in place of the rest of `line`: as long as before."""
    body = line.rstrip("\r\n")
    return kept + f"{mark:<{len(body) - len(kept)}}"[: len(body) - len(kept)] + line[len(body) :]
