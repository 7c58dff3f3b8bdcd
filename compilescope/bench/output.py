"""Where results go: looked at before anything is measured, since that takes minutes."""

from __future__ import annotations

import tempfile
from pathlib import Path

from compilescope.errors import InputError


def writable(path: Path, option: str) -> None:
    """Make the folder of the file `path`, and see that a file can be made in it.

    Raises:
        InputError: that cannot be; `option` is what names another place.
    """
    if path.is_dir():
        raise _refused(path, option, "it is a folder")
    folder(path.parent, option, of=path)


def folder(path: Path, option: str, *, of: Path | None = None) -> None:
    """Make the folder `path`, for the file `of`, and see that a file can be made in it.

    Raises:
        InputError: that cannot be; `option` is what names another place.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            pass
    except FileExistsError:
        raise _refused(of or path, option, f"{path} is no folder") from None
    except OSError as error:
        raise _refused(of or path, option, error.strerror or str(error)) from error


def _refused(path: Path, option: str, cause: str) -> InputError:
    return InputError(f"cannot write {path}", cause=cause, hint=f"name another place with {option}")
