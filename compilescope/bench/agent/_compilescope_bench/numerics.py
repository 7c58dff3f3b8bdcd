"""What eager and compiled calls compute from one state, beside eager in a wider dtype."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .kept import CHANGED, Kept, Results, row
from .library import torch
from .record import told
from .state import Given, State, is_other
from .steps import Variant, numbers_in
from .subject import Input, Subject, copied
from .tensors import changed


class Check:
    """Compares on a few of the inputs, each call from the state that the subject began with.

    `given` was made before the first call; the check is made before calls are measured, and shown
    the compiled variant before that is called.
    """

    def __init__(self, subject: Subject, given: Given) -> None:
        self._subject = subject
        self._state = State(subject.modules)
        self._places, self._given = given.places, given.items
        self._taken: list[Input] = []
        self._first: list[Results] = []
        self._again: list[Results] = []
        self._reference: list[Results] = []
        self.reference = ""  # the dtype of the reference, "" where there is none
        self.why = ""

    def eager(self, variant: Variant) -> None:
        """Compute what the compiled calls are held against."""
        self._first = [self._results(variant, item) for item in self._given]
        self._again = [self._results(variant, item) for item in self._given]
        self.why = self._refer(variant, torch.float64)
        # float32 still has more digits than these have; it needs half the memory.
        if self.why and self._is_narrow() and not self._refer(variant, torch.float32):
            self.why = ""
        self._state.restore()

    def _refer(self, variant: Variant, dtype: Any) -> str:
        """Compute the reference in `dtype`; why there is none."""
        name = str(dtype).rpartition(".")[2]
        try:
            with self._in(dtype):
                found = [self._results(variant, _in(item, dtype)) for item in self._given]
        except Exception as error:  # noqa: BLE001
            why = f"it does not run in {name}: {told(error)}"
        else:
            kinds = {one.kind for result in found for one in result.values()}
            if all(kind == dtype for kind in kinds if kind.is_floating_point):
                self._reference, self.reference = found, name
                return ""
            why = f"it does not compute in {name}"
        if torch.cuda.is_initialized():
            torch.cuda.empty_cache()  # what was too much must not stand in the way of the next
        return why

    def _is_narrow(self) -> bool:
        """Whether anything is computed with fewer digits than float32 has."""
        tensors = [
            *self._state.originals().values(),
            *(one for item in self._given for one in self._subject.tensors(item).values()),
        ]
        kinds = {one.dtype for one in tensors} & {torch.float16, torch.bfloat16}
        return bool(kinds or self._subject.autocast)

    def take(self, variant: Variant) -> None:
        """Keep the inputs of `variant` as they are before it is called."""
        self._taken = [copied(variant.items[case][index]) for case, index in self._places]

    def rows(self, variant: Variant) -> list[dict[str, Any]]:
        """Every output and gradient with its errors, the inputs one after the other."""
        found = []
        for number, (case, index) in enumerate(self._places):
            first, again = self._first[number], self._again[number]
            exact = self._reference[number] if self._reference else None
            results = self._results(variant, self._taken[number], first)
            for name in dict.fromkeys((*first, *results)):
                # What one of them leaves as it was may have been changed by another.
                given = self._original(number, name)
                known = [one.get(name, given) if one is not None else None
                         for one in (first, again, results, exact)]  # fmt: skip
                made = row(name, *known)
                if made is not None:
                    found.append({"case": case, "input": index, **made})
        self._state.restore()
        return found

    def _original(self, number: int, name: str) -> Kept | None:
        """An input or buffer before any call, by the name of its change."""
        if not name.endswith(CHANGED):
            return None
        tensors = self._state.originals() | self._subject.tensors(self._given[number])
        one = tensors.get(name.removesuffix(CHANGED))
        return None if one is None else Kept(one, None, name)

    def _results(self, variant: Variant, item: Input, like: Results | None = None) -> Results:
        self._state.restore()
        subject = self._subject
        own = copied(item)
        with subject.surrounded():
            variant.clear()
            result = subject.call(variant.call, own)
            loss = variant.loss(result) if subject.train else None
            found = {name: Kept(one, like, name) for name, one in numbers_in("output", result)}
            if loss is not None:
                found["loss"] = Kept(loss, like, "loss")
            if subject.train:
                variant.backward(result)
            if subject.train or subject.steps:
                for name, gradient in (*variant.gradients(), *_gradients(subject.tensors(own))):
                    key = f"gradient of {name}"
                    found[key] = Kept(gradient, like, key)
            variant.clear()
        before = subject.tensors(item)
        changed_ = [(name, one) for name, one in subject.tensors(own).items()
                    if name not in before or is_other(one, before[name])]  # fmt: skip
        for name, one in (*self._state.changed(), *changed_):
            key = name + CHANGED
            found[key] = Kept(one, like, key)
        return found

    @contextmanager
    def _in(self, dtype: Any) -> Iterator[None]:
        autocast, self._subject.autocast = self._subject.autocast, ()
        try:
            with self._state.in_dtype(dtype):
                yield
        finally:
            self._subject.autocast = autocast


def _gradients(tensors: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, one in tensors.items():
        if one.requires_grad and one.is_leaf and one.grad is not None:
            yield name, one.grad


def _in(item: Input, dtype: Any) -> Input:
    def change(tensor: Any) -> Any:
        if not tensor.is_floating_point():
            return tensor
        # A copy in any case: the call may change it.
        return tensor.detach().to(dtype, copy=True).requires_grad_(tensor.requires_grad)

    return Input(changed(item.args, change), changed(item.kwargs, change))
