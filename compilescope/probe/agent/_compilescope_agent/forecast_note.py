"""What the exploration found, as lines of its record."""

from __future__ import annotations

import inspect
import sys
from typing import TYPE_CHECKING, Any

from .callables import code_of
from .forecast_inputs import Candidate, Change, held_at
from .forecast_names import name_of
from .forecast_parts import containers
from .forecast_samples import is_tensor, keys_of
from .inputs import Names, describe

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .forecast_inputs import Place
    from .forecast_samples import Sample, Watched
    from .record import Record

_PLAIN = (int, float, bool, str, type(None))
_KEYS = (int, str, type(None))


class Noted:
    """An input that was written down."""

    def __init__(
        self, number: int, what: str, candidate: Candidate, fields: dict[str, Any]
    ) -> None:
        self.number = number
        self.candidate = candidate
        covers = what in ("graph", "general", "observed")
        self.can_be_called = covers and not (fields.get("repeat") or fields.get("error"))
        ordinary = what == "general" or fields.get("general")
        self.rank = 0 if ordinary else 1 if what == "observed" else 2
        self.ids: tuple[str, ...] = tuple(fields.get("ids", ()))
        self.specials = len(candidate.factors) + len(candidate.changes)


class Notes:
    """Writes one line for each finding, and a summary for each callable."""

    def __init__(self, record: Record, watched: Watched) -> None:
        self._inner = watched.module.forward if watched.module is not None else watched.function
        code = code_of(self._inner)
        self._record = record
        self._watched = watched
        self._names = Names(code, skip_first=hasattr(self._inner, "__self__")) if code else None
        self.tried = self.served = self.invalid = 0
        self.noted: list[Noted] = []
        self.is_assuming = False  # what is found is of a kind that never came

    def found(self, candidate: Candidate, ids: tuple[str, ...], error: str, **flags: bool) -> None:
        """Another graph, or an error of the compiler where the program itself has none."""
        set_ = {name: True for name, value in flags.items() if value}
        what = "assumed" if self.is_assuming else "graph"
        self._write(what, candidate, ids=ids, error=error, **set_)

    def assumed(self, candidate: Candidate) -> None:
        """An input of a kind that never came, which would compile another graph: it was not."""
        self._write("assumed", candidate)

    def general(self, candidate: Candidate) -> None:
        """An input with nothing special that the graphs at hand serve."""
        self._write("general", candidate)

    def observed(self, sample: Sample) -> None:
        """A call of the program that paid for a compile."""
        self._write("observed", Candidate(sample), ids=sample.ids, call=sample.index)

    def unusable(self, sample: Sample, why: str) -> None:
        """A call that cannot be made again."""
        self._line("unusable", call=sample.index, why=why)

    def unbounded(self, sample: Sample, places: Iterable[Place]) -> None:
        """A size of which each value compiles a graph of its own."""
        names = [self._place(sample, number, dimension) for number, dimension in places]
        self._line("unbounded", sources=names, assumed=self.is_assuming)

    def incomplete(self) -> None:
        """Time ended before everything was tried that has not varied."""
        self._line("incomplete")

    def cover(self, numbers: list[int]) -> None:
        """The inputs that a warm-up has to call."""
        self._line("cover", calls=numbers)

    def summary(self, *, cut: bool, left_out: int, closed: list[str]) -> None:
        """How much was tried."""
        self._line(
            "summary",
            dynamic=self._watched.dynamic,
            tried=self.tried,
            served=self.served,
            invalid=self.invalid,
            cut=cut,
            left_out=left_out,
            closed=closed,
        )

    def name_of(self, _sample: Sample, keys: tuple[Any, ...]) -> str:
        """The part that `keys` lead to as the user would write it."""
        return name_of(keys, self._names)

    def keys_of_leaf(self, sample: Sample, number: int) -> tuple[Any, ...]:
        """The keys that lead to a leaf."""
        return tuple(keys_of(sample.leaves[number].path))

    def keys(self, sample: Sample, name: str) -> Iterator[tuple[Any, ...]]:
        """The parts of a call that are called `name`, from the arguments inwards."""
        seen = set()
        for leaf in sample.leaves:
            keys = tuple(keys_of(leaf.path))
            for end in range(2, len(keys) + 1):
                if keys[:end] not in seen:
                    seen.add(keys[:end])
                    if name_of(keys[:end], self._names) == name:
                        yield keys[:end]

    def defaults(self) -> list[tuple[str, Any]]:
        """The arguments that may be left out, with what they then are."""
        try:
            parameters = inspect.signature(self._inner).parameters.values()
        except (TypeError, ValueError):
            return []
        named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
        return [
            (one.name, one.default)
            for one in parameters
            if one.default is not inspect.Parameter.empty and one.kind in named
        ]

    def described(self, sample: Sample, kind: str, words: str, source: str) -> Candidate:
        """`sample` with what is special about it in words."""
        return Candidate(sample, changes=(Change(kind, words, source=source),))

    def _line(self, what: str, **fields: Any) -> None:
        self._record.note("forecast", what=what, callable=self._watched.number, **fields)

    def _write(self, what: str, candidate: Candidate, **fields: Any) -> None:
        torch: Any = sys.modules["torch"]
        sample = candidate.sample
        with torch.no_grad():
            args, kwargs = candidate.build()
        inputs: list[dict[str, Any]] = []
        if self._names is not None:
            inputs, _ = describe(self._names, args, kwargs, torch.Tensor)
        number = len(self.noted)
        self.noted.append(Noted(number, what, candidate, fields))
        self._line(
            what,
            number=number,
            call=fields.pop("call", sample.index),
            inputs=inputs,
            changes=[*self._sizes(candidate), *self._changes(candidate)],
            factors=self._factors(candidate),
            recipe=[*_containers(sample), *self._recipe(candidate)],
            layout=candidate.layout,
            modes=_modes(sample),
            **fields,
        )

    def _sizes(self, candidate: Candidate) -> list[dict[str, Any]]:
        sample = candidate.sample
        return [
            {
                "source": self._place(sample, number, None),
                "dimension": dimension,
                "to": repr(size),
                "held": repr(held_at(sample, (number, dimension))),
                "kind": "value" if dimension is None else "size",
            }
            for (number, dimension), size in candidate.special.items()
        ]

    def _changes(self, candidate: Candidate) -> list[dict[str, Any]]:
        return [
            {
                "source": self._source(candidate, change),
                "dimension": None,
                "to": change.words,
                "held": change.held,
                "kind": change.kind,
            }
            for change in candidate.changes
        ]

    def _factors(self, candidate: Candidate) -> list[str]:
        sizes = [self._place(candidate.sample, *place) for place in candidate.factors]
        others = [(one.kind, self._source(candidate, one)) for one in candidate.changes]
        return [
            *sizes,
            *(name if kind == "value" else f"{kind} of {name}" for kind, name in others),
        ]

    def _source(self, candidate: Candidate, change: Change) -> str:
        if change.number is None:
            return change.source
        return self._place(candidate.sample, change.number, None)

    def _recipe(self, candidate: Candidate) -> list[dict[str, Any]]:
        """Every tensor and plain value of the input, by where the arguments hold it."""
        found = []
        for number, leaf in enumerate(candidate.sample.leaves):
            entry: dict[str, Any] = {"keys": keys_of(leaf.path)}
            if not all(_can_be_written(key) for key in entry["keys"]):
                continue  # the sample's own is used
            if is_tensor(leaf.value):
                shape, strides = candidate.plain(number)
                entry |= {"shape": shape, "strides": strides, "dtype": str(leaf.value.dtype)}
                if leaf.value.requires_grad:
                    entry["requires_grad"] = True
                if number in candidate.fills:
                    entry["fill"] = candidate.fills[number]
                found.append(entry)
            elif type(leaf.value) in _PLAIN:
                value = candidate.sizes.get((number, None), leaf.value)
                found.append({**entry, "value": repr(value)})
        return found

    def _place(self, sample: Sample, number: int, dimension: int | None) -> str:
        name = name_of(tuple(keys_of(sample.leaves[number].path)), self._names)
        return name if dimension is None else f"{name}.shape[{dimension}]"


def _can_be_written(key: Any) -> bool:
    return type(key) in _KEYS or (type(key) is tuple and all(type(part) in _KEYS for part in key))


def _containers(sample: Sample) -> list[dict[str, Any]]:
    """The lengths of lists and the keys of dicts, from the arguments inwards."""
    found: list[dict[str, Any]] = [
        {"keys": ["args"], "length": len(sample.args)},
        {"keys": ["kwargs"], "names": list(sample.kwargs)},
    ]
    for keys, held in containers(sample):
        if not all(_can_be_written(key) for key in keys):
            continue
        if not isinstance(held, dict):
            found.append({"keys": keys, "length": len(held)})
        elif all(type(name) in (int, str) for name in held):
            found.append({"keys": keys, "names": list(held)})
    return found


def _modes(sample: Sample) -> dict[str, Any]:
    ambient = sample.ambient
    return {
        "grad": ambient.grad,
        "inference": ambient.inference,
        "training": ambient.training,
        "autocast": [[kind, str(dtype)] for kind, dtype in ambient.autocast],
        "dtype": str(ambient.dtype),
    }
