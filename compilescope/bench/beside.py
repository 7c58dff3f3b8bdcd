"""The files of bench and tune that lie beside a session, by the program's name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from compilescope.bench.earlier import load
from compilescope.errors import InputError

if TYPE_CHECKING:
    from compilescope.benching import Benching
    from compilescope.model import Session


def stem(name: str) -> str:
    """The name of a program or function as the beginning of a file name."""
    found = Path(name.partition(":")[0]).stem
    return "".join(letter if letter.isalnum() or letter in "._-" else "-" for letter in found)


def bench_of(session: Session, path: Path) -> Benching | None:
    """What bench measured of the program of the session in `path`, with the same torch.

    Raises:
        VersionError: a newer compilescope wrote it.
    """
    file = path.parent / f"{stem(session.name)}-bench.json"
    if not session.name or not file.exists():
        return None
    try:
        found = load(file)
    except InputError:  # another's file
        return None
    same = found.name == session.name and found.environment.torch == session.environment.torch
    return found if same else None
