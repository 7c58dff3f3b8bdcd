"""What the exploration found, as lines of its record."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from .callables import code_of
from .forecast_samples import is_tensor, keys_of, name_of
from .inputs import Names, describe

if TYPE_CHECKING:
    from .forecast_inputs import Candidate, Place
    from .forecast_samples import Sample, Watched
    from .forecast_sizes import Group
    from .record import Record


class Notes:
    """Writes one line for each finding, and a summary for each callable."""

    def __init__(self, record: Record, watched: Watched) -> None:
        inner = watched.module.forward if watched.module is not None else watched.function
        code = code_of(inner)
        self._record = record
        self._watched = watched
        self._names = Names(code, skip_first=hasattr(inner, "__self__")) if code else None
        self.tried = self.served = self.invalid = 0

    def found(self, candidate: Candidate, ids: tuple[str, ...], error: str, **flags: bool) -> None:
        """Another graph, or an error of the compiler where the program itself has none."""
        set_ = {name: True for name, value in flags.items() if value}
        self._write("graph", candidate, ids=ids, error=error, **set_)

    def general(self, candidate: Candidate) -> None:
        """An input with nothing special that the graphs at hand serve."""
        self._write("general", candidate)

    def observed(self, sample: Sample) -> None:
        """A call of the program that paid for a compile."""
        from .forecast_inputs import Candidate

        self._write("observed", Candidate(sample), ids=sample.ids, call=sample.index)

    def unusable(self, sample: Sample, why: str) -> None:
        """A call that cannot be made again."""
        self._record.note(
            "forecast", what="unusable", callable=self._watched.number, call=sample.index, why=why
        )

    def unbounded(self, sample: Sample, group: Group) -> None:
        """A size of which each value compiles a graph of its own."""
        names = [self._name(sample, number, dimension) for number, dimension in group.places]
        self._record.note(
            "forecast", what="unbounded", callable=self._watched.number, sources=names
        )

    def summary(self, *, cut: bool, left_out: int) -> None:
        """How much was tried."""
        self._record.note(
            "forecast",
            what="summary",
            callable=self._watched.number,
            dynamic=self._watched.dynamic,
            tried=self.tried,
            served=self.served,
            invalid=self.invalid,
            cut=cut,
            left_out=left_out,
        )

    def _write(self, what: str, candidate: Candidate, **fields: Any) -> None:
        torch: Any = sys.modules["torch"]
        sample = candidate.sample
        with torch.no_grad():
            args, kwargs = candidate.build()
        inputs: list[dict[str, Any]] = []
        if self._names is not None:
            inputs, _ = describe(self._names, args, kwargs, torch.Tensor)
        self._record.note(
            "forecast",
            what=what,
            callable=self._watched.number,
            call=fields.pop("call", sample.index),
            inputs=inputs,
            changes=self._changes(candidate),
            factors=[self._name(sample, *place) for place in candidate.factors],
            recipe=self._recipe(candidate),
            layout=candidate.layout,
            modes=_modes(sample),
            **fields,
        )

    def _changes(self, candidate: Candidate) -> list[dict[str, Any]]:
        sample = candidate.sample
        return [
            {
                "source": self._name(sample, number, None),
                "dimension": dimension,
                "from": sample.leaves[number].value
                if dimension is None
                else sample.leaves[number].value.shape[dimension],
                "to": size,
                "special": (number, dimension) in candidate.special,
            }
            for (number, dimension), size in _all(candidate).items()
        ]

    def _recipe(self, candidate: Candidate) -> list[dict[str, Any]]:
        """Every tensor and number of the input, by where the arguments hold it."""
        found = []
        for number, leaf in enumerate(candidate.sample.leaves):
            entry: dict[str, Any] = {"keys": keys_of(leaf.path)}
            if is_tensor(leaf.value):
                shape, strides = candidate.plain(number)
                dtype = str(leaf.value.dtype)
                found.append({**entry, "shape": shape, "strides": strides, "dtype": dtype})
            elif type(leaf.value) in (int, float, bool, str, type(None)):
                value = candidate.sizes.get((number, None), leaf.value)
                found.append({**entry, "value": value})
        return found

    def _name(self, sample: Sample, number: int, dimension: int | None) -> str:
        path = sample.leaves[number].path
        name = name_of(path, self._names) if self._names else str(path)
        return name if dimension is None else f"{name}.shape[{dimension}]"


def _all(candidate: Candidate) -> dict[Place, Any]:
    return {**candidate.sizes, **candidate.special}


def _modes(sample: Sample) -> dict[str, Any]:
    ambient = sample.ambient
    return {
        "grad": ambient.grad,
        "inference": ambient.inference,
        "training": ambient.training,
        "autocast": [[kind, str(dtype)] for kind, dtype in ambient.autocast],
    }
