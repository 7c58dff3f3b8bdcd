"""Rules and reports, found through entry points exactly as a third party's pack would be."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any, Protocol

from compilescope.errors import CompilescopeError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from compilescope.diagnosis import Diagnosis

REPORTS = "compilescope.reports"
COMPARISONS = "compilescope.comparisons"
TUNINGS = "compilescope.tunings"
BENCHINGS = "compilescope.benchings"
RULES = "compilescope.rules"


class Render(Protocol):
    """A report: a pure function from a diagnosis to text."""

    def __call__(self, diagnosis: Diagnosis, /, **options: Any) -> str:
        """The whole report."""
        ...


def report(name: str) -> Render:
    """The report called `name`.

    Raises:
        UsageError: no installed pack has it.
    """
    render: Render = _loaded(REPORTS, name, f"unknown report format `{name}`")
    return render


def comparison(form: str) -> Callable[..., str]:
    """The comparison report called `form`, `(comparison, **options) -> str`.

    Raises:
        UsageError: no installed pack has it.
    """
    return _loaded(COMPARISONS, form, f"unknown comparison format `{form}`")


def tuning(form: str) -> Callable[..., str]:
    """The report of tune called `form`, `(tuning, **options) -> str`.

    Raises:
        UsageError: no installed pack has it.
    """
    return _loaded(TUNINGS, form, f"unknown format `{form}` for tune")


def benching(form: str) -> Callable[..., str]:
    """The report of bench called `form`, `(benching, **options) -> str`.

    Raises:
        UsageError: no installed pack has it.
    """
    return _loaded(BENCHINGS, form, f"unknown format `{form}` for bench")


def rule_packs() -> list[Any]:
    """The packages whose folders are rules."""
    return [point.load() for point in _points(RULES)]


def _loaded(group: str, name: str, unknown: str) -> Callable[..., str]:
    """What the entry point `name` of `group` stands for; `unknown` is the error where none is."""
    points = _points(group)
    for point in points:
        if point.name == name:
            render: Callable[..., str] = point.load()
            return render
    known = ", ".join(sorted({point.name for point in points}))
    raise UsageError(unknown, hint=f"one of: {known}")


def _points(group: str) -> list[EntryPoint]:
    found = list(entry_points(group=group))
    if not found:
        what = group.rpartition(".")[2]
        raise CompilescopeError(
            f"no {what} are installed",
            cause="compilescope was imported from its source folder without being installed",
            hint="pip install -e .",
        )
    return found
