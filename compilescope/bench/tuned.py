"""The best trial of a result of tune, for bench to measure."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from compilescope import store
from compilescope.bench.beside import stem
from compilescope.errors import CompilescopeError, InputError

if TYPE_CHECKING:
    from compilescope.tuning import Trial, Tuning

# What only a whole run has: bench warms up by itself, and looks at results in its own way.
_OF_A_RUN = ("observe", "warm_up", "order", "refused")
_FIT = ("config", "compile", "arguments", "attributes", "modes", "functions")


@dataclass(frozen=True)
class Best:
    """What tune found to be best, and what it did there."""

    path: Path
    trial: Trial
    before: int  # recompiles without it

    @property
    def text(self) -> str:
        """What it did, in one sentence."""
        left = self.trial.measures.recompiles
        return (
            f"tune ({self.path}) left {left} of {self.before} recompiles with:"
            f" {'; '.join(one.text for one in self.trial.remedies)}"
        )


def result_at(path: Path, name: str) -> Path:
    """The file that `path` means: itself, or that of the program `name` in a folder."""
    return path / f"{stem(name)}-tuned.json" if path.is_dir() else path


def best_of(path: Path) -> Best:
    """The best trial in the result of tune in `path`.

    Raises:
        InputError: it is no result of tune, or nothing in it was better than the program as it is.
        VersionError: written by a newer compilescope.
    """
    found = store.load_tuning(path) if path.exists() else None
    if found is None:
        raise InputError(
            f"{path} is no result of tune" if path.exists() else f"{path} does not exist",
            hint="`compilescope tune -o FILE script.py` writes one",
        )
    best = _best(path, found)
    if best is None:
        raise InputError(
            f"{path} has nothing to apply",
            cause="no remedy was better than the program as it is",
            hint="leave out --tuned",
        )
    return best


def overlay(best: Best) -> dict[str, Any]:
    """What the measuring process is to apply of `best`.

    Raises:
        InputError: it holds what bench cannot apply, or what bench does anyway.
    """
    content: dict[str, Any] = msgspec.json.decode(best.trial.overlay or "{}")
    left = {key: value for key, value in content.items() if key not in _OF_A_RUN and value}
    unfit = sorted(left.keys() - set(_FIT))
    if unfit:
        changed = unfit == ["sources"]
        raise InputError(
            f"bench cannot apply the best trial in {best.path}",
            cause="it changes the source" if changed else f"it needs {', '.join(unfit)}",
            hint="tune --apply writes the change, then bench the script" if changed else "",
        )
    if not left:
        raise InputError(
            f"the best trial in {best.path} only warms up",
            cause="bench makes every call before it measures",
            hint="leave out --tuned",
        )
    return left


def beside(folder: Path, name: str, torch: str) -> Best | None:
    """What tune found for the program `name` with this `torch`, if its result is in `folder`."""
    path = result_at(folder, name)
    try:
        found = store.load_tuning(path) if path.is_file() else None
    except CompilescopeError:  # another's file
        return None
    same = found is not None and found.name == name and found.environment.torch == torch
    return _best(path, found) if found is not None and same else None


def _best(path: Path, found: Tuning) -> Best | None:
    trial = next((one for one in found.trials if one.number == found.best), None)
    if trial is None or trial.outcome not in ("solved", "better"):
        return None
    return Best(path, trial, found.baseline.measures.recompiles)
