"""Whole files or none: local paths, and addresses where fsspec is installed."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from typing import Any

from compilescope.errors import InputError, UsageError

StrPath = str | os.PathLike[str]


def read(path: StrPath) -> bytes:
    """The content of `path`, which may be an address such as `s3://bucket/name`.

    Raises:
        InputError: it cannot be read.
        UsageError: it is an address, and fsspec is not installed.
    """
    name = os.fspath(path)
    try:
        if "://" not in name:
            with open(name, "rb") as file:
                return file.read()
        filesystem, inside = _remote(name)
        content: bytes = filesystem.cat_file(inside)
    except OSError as error:
        raise InputError(f"cannot read {name}", cause=error.strerror or str(error)) from error
    return content


def write(path: StrPath, content: bytes) -> None:
    """Put `content` at `path` so that a reader sees all of it or what was there before.

    Raises:
        InputError: it cannot be written.
        UsageError: it is an address, and fsspec is not installed.
    """
    name = os.fspath(path)
    try:
        if "://" in name:
            filesystem, inside = _remote(name)
            # Object stores show an object once it is whole; others get it under another name first.
            made = f"{inside}.{os.getpid()}.part"
            filesystem.pipe_file(made, content)
            filesystem.mv(made, inside)
        else:
            _replace(name, content)
    except OSError as error:
        raise InputError(f"cannot write {name}", cause=error.strerror or str(error)) from error


def _replace(name: str, content: bytes) -> None:
    folder = os.path.dirname(os.path.abspath(name))
    os.makedirs(folder, exist_ok=True)
    descriptor, made = tempfile.mkstemp(prefix=f".{os.path.basename(name)}.", dir=folder)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        # mkstemp lets only the owner read; a cache is for every worker of the service.
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(made, 0o666 & ~umask)
        os.replace(made, name)
    except BaseException:
        with suppress(OSError):
            os.unlink(made)
        raise


def _remote(name: str) -> tuple[Any, str]:
    try:
        import fsspec  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError as error:
        raise UsageError(
            f"{name} is an address, and fsspec is not installed",
            hint="pip install fsspec and the package for that kind of address, or give a path",
        ) from error
    try:
        found: tuple[Any, str] = fsspec.core.url_to_fs(name)
    except (ImportError, ValueError) as error:
        raise UsageError(f"fsspec cannot open {name}", cause=str(error)) from error
    return found
