"""What eager and compiled calls compute from one state, beside eager in float64."""

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
        self.why = ""

    def eager(self, variant: Variant) -> None:
        """Compute what the compiled calls are held against."""
        self._first = [self._results(variant, item) for item in self._given]
        self._again = [self._results(variant, item) for item in self._given]
        try:
            with self._in_float64():
                self._reference = [self._results(variant, _double(item)) for item in self._given]
        except Exception as error:  # noqa: BLE001
            self.why = f"it does not run in float64: {told(error)}"
        else:
            missing = [True for found in self._reference for one in found.values()
                       if one.kind.is_floating_point and one.kind != torch.float64]  # fmt: skip
            if missing:
                self.why = "it does not compute in float64"
        if self.why:
            self._reference = []
        self._state.restore()

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
                    if is_other(one, before[name])]  # fmt: skip
        for name, one in (*self._state.changed(), *changed_):
            key = name + CHANGED
            found[key] = Kept(one, like, key)
        return found

    @contextmanager
    def _in_float64(self) -> Iterator[None]:
        autocast, self._subject.autocast = self._subject.autocast, ()
        try:
            with self._state.in_float64():
                yield
        finally:
            self._subject.autocast = autocast


def _gradients(tensors: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, one in tensors.items():
        if one.requires_grad and one.is_leaf and one.grad is not None:
            yield name, one.grad


def _double(item: Input) -> Input:
    def change(tensor: Any) -> Any:
        if not tensor.is_floating_point():
            return tensor
        return tensor.detach().double().requires_grad_(tensor.requires_grad)

    return Input(changed(item.args, change), changed(item.kwargs, change))
