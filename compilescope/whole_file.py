"""Files that are replaced whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def replace(path: Path, content: bytes, mode: int | None = None) -> None:
    """Make `path` hold `content`: a reader sees all of it, or what was there before.

    Args:
        path: In a folder that exists.
        content: All of the file.
        mode: Its permission bits; by default only the owner reads and writes it.

    Raises:
        OSError: the folder or file cannot be written.
    """
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        if mode is not None:
            os.chmod(temporary, mode)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
