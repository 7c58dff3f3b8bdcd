"""What changed at the same calls as a cause, and would recompile once that cause is gone.

PyTorch prints the first failing guard only, so a second counter or a second size hides behind it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from compilescope.model import GuardFailure

_SHOWN = 4


def companions(cause: GuardFailure, failures: Iterable[Sequence[GuardFailure]]) -> tuple[str, ...]:
    """A sentence for each other thing that kept the nearest graph from serving these calls.

    Args:
        cause: The failure that PyTorch printed.
        failures: For each recompile of the cause, the further guards that failed.
    """
    values: dict[tuple[str, str, int | None], list[str]] = {}
    for failure in (item for found in failures for item in found):
        # Relations over a size that is itself the cause are its consequences.
        if failure.kind.startswith("shape.") or _implied(failure, cause):
            continue
        seen = values.setdefault((failure.kind, failure.source, failure.dimension), [])
        seen += [value for value in (failure.required, failure.observed) if value]
    return tuple(
        _sentence(kind, source, dimension, list(dict.fromkeys(seen)))
        for (kind, source, dimension), seen in values.items()
    )[:_SHOWN]


def same(one: GuardFailure, other: GuardFailure) -> bool:
    """Whether both are about the same property of the same value."""
    if one.kind.startswith("shape.") and other.kind.startswith("shape."):
        return one.required.replace(" ", "") == other.required.replace(" ", "")
    return (one.source, one.dimension, _property(one)) == (
        other.source,
        other.dimension,
        _property(other),
    )


def _property(failure: GuardFailure) -> str:
    return failure.kind.rpartition(".")[2] if failure.kind.startswith("tensor.") else "value"


def _implied(failure: GuardFailure, cause: GuardFailure) -> bool:
    """A tensor's strides follow its sizes; only the sizes are worth a word."""
    if same(failure, cause):
        return True
    sizes = {"tensor.size", "tensor.rank", "shape.zero_one", "shape.duck"}
    return (
        failure.kind == "tensor.stride" and cause.source == failure.source and cause.kind in sizes
    )


def _sentence(kind: str, source: str, dimension: int | None, values: list[str]) -> str:
    what = f"`{source}`"
    if kind.startswith("tensor."):
        aspect = kind.rpartition(".")[2]
        where = "" if dimension is None else f" {dimension}"
        what = f"{aspect}{where} of `{source}`"
    shown = ", ".join(values[:_SHOWN]) + (", …" if len(values) > _SHOWN else "")
    return f"{what} changed at the same calls ({shown})"
