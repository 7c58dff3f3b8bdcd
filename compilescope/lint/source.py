"""The text of a file as Python reads it, and as it has to be written back."""

from __future__ import annotations

import codecs
import io
import os
import tokenize
from pathlib import Path

import msgspec

from compilescope import whole_file
from compilescope.lint.notebooks import Notebook, NotebookError, parse_notebook
from compilescope.lint.spans import Edit, apply, split_lines


class Source(msgspec.Struct, frozen=True):
    """One file to lint.

    `text` is what the engine reads; of a notebook it is the code of all its cells, one below the
    other, with magics blanked out.
    """

    path: Path
    text: str
    encoding: str = "utf-8"
    notebook: Notebook | None = None

    @property
    def lines(self) -> list[str]:
        """The lines as the user wrote them, without their ends."""
        text = self.notebook.code if self.notebook else self.text
        return [line.rstrip("\r\n") for line in split_lines(text)]

    def lines_of(self, cell: int | None) -> list[str]:
        """The lines of a notebook's cell, or of the file."""
        if cell is None or self.notebook is None:
            return self.lines
        return [line.rstrip("\r\n") for line in split_lines(self.notebook.cell(cell))]

    def edited(self, edits: list[Edit]) -> Source:
        """The file after `edits` to its text; those that cross cells of a notebook are not made."""
        if self.notebook is None:
            return msgspec.structs.replace(self, text=apply(self.text, edits))
        notebook = self.notebook.edited(edits)
        return msgspec.structs.replace(self, text=notebook.text, notebook=notebook)

    def content(self) -> str:
        """The whole file, as it is written to disk."""
        return self.notebook.dump() if self.notebook else self.text


class Unreadable(Exception):  # noqa: N818  # becomes a finding
    """A file that Python could not read either."""


def read(path: Path) -> Source:
    """The source in `path`.

    Raises:
        Unreadable: no permission, or bytes that its encoding does not have.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise Unreadable(f"cannot be read: {error.strerror or error}") from error
    return from_bytes(path, data)


def from_bytes(path: Path, data: bytes) -> Source:
    """The source whose file holds `data`.

    Raises:
        Unreadable: bytes that its encoding does not have, or a notebook that is none.
    """
    if path.suffix == ".ipynb":
        try:
            notebook = parse_notebook(data)
        except NotebookError as error:
            raise Unreadable(str(error)) from error
        return Source(path, notebook.text, notebook=notebook)
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return Source(path, data.decode(encoding), encoding)
    except (SyntaxError, UnicodeDecodeError, LookupError) as error:
        raise Unreadable(_explain(data, error)) from error


def write(source: Source) -> None:
    """Replace the file, whole or not at all, its mode kept; a link stays a link.

    Raises:
        OSError: the folder or file cannot be written.
    """
    target = Path(os.path.realpath(source.path))
    mode = target.stat().st_mode & 0o7777 if target.exists() else None
    whole_file.replace(target, source.content().encode(source.encoding), mode)


def _explain(data: bytes, error: Exception) -> str:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "is UTF-16, which Python does not read as source; save it as UTF-8"
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as bad:
        if not isinstance(error, LookupError):
            line = data.count(b"\n", 0, bad.start) + 1
            return f"is not UTF-8: byte 0x{data[bad.start]:02x} in line {line}"
    return f"cannot be decoded: {error}"
