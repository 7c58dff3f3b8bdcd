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


def report_names() -> list[str]:
    """The formats that are installed."""
    return sorted({point.name for point in _points(REPORTS)})


def report(name: str) -> Render:
    """The report called `name`.

    Raises:
        UsageError: no installed pack has it.
    """
    for point in _points(REPORTS):
        if point.name == name:
            render: Render = point.load()
            return render
    known = ", ".join(report_names())
    raise UsageError(f"unknown report format `{name}`", hint=f"one of: {known}")


def comparison(form: str) -> Callable[..., str]:
    """The comparison report called `form`, `(comparison, **options) -> str`.

    Raises:
        UsageError: no installed pack has it.
    """
    points = _points(COMPARISONS)
    for point in points:
        if point.name == form:
            render: Callable[..., str] = point.load()
            return render
    known = ", ".join(sorted({point.name for point in points}))
    raise UsageError(f"unknown comparison format `{form}`", hint=f"one of: {known}")


def tuning(form: str) -> Callable[..., str]:
    """The report of tune called `form`, `(tuning, **options) -> str`.

    Raises:
        UsageError: no installed pack has it.
    """
    points = _points(TUNINGS)
    for point in points:
        if point.name == form:
            render: Callable[..., str] = point.load()
            return render
    known = ", ".join(sorted({point.name for point in points}))
    raise UsageError(f"unknown format `{form}` for tune", hint=f"one of: {known}")


def benching(form: str) -> Callable[..., str]:
    """The report of bench called `form`, `(benching, **options) -> str`.

    Raises:
        UsageError: no installed pack has it.
    """
    points = _points(BENCHINGS)
    for point in points:
        if point.name == form:
            render: Callable[..., str] = point.load()
            return render
    known = ", ".join(sorted({point.name for point in points}))
    raise UsageError(f"unknown format `{form}` for bench", hint=f"one of: {known}")


def rule_packs() -> list[Any]:
    """The packages whose folders are rules."""
    return [point.load() for point in _points(RULES)]


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
