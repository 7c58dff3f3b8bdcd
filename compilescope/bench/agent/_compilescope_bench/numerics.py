"""What eager and compiled calls compute from one state, beside eager in float64."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .library import torch
from .record import told
from .steps import Variant, numbers_in
from .subject import Input, Subject
from .tensors import changed, cloned

_MOST = 1 << 22  # elements of a tensor that are compared
Results = dict[str, Any]


class Check:
    """Compares on a few of the inputs, each call from the state that the subject began with."""

    def __init__(self, subject: Subject, eager: Variant, most: int = 3) -> None:
        self._subject = subject
        self._eager = eager
        self._state = [(one, one.detach().clone()) for one in _tensors_of(subject.modules)]
        self._places = _picked(subject, most)
        self._first: list[Results] = []
        self._again: list[Results] = []
        self._reference: list[Results] = []
        self.why = ""

    def eager(self) -> None:
        """Compute what the compiled calls are held against."""
        items = [self._eager.items[case][index] for case, index in self._places]
        self._first = [self._results(self._eager, item) for item in items]
        self._again = [self._results(self._eager, item) for item in items]
        try:
            with self._in_float64():
                self._reference = [self._results(self._eager, _double(item)) for item in items]
        except Exception as error:  # noqa: BLE001
            self.why = f"it does not run in float64: {told(error)}"
        else:
            missing = [True for found in self._reference for one in found.values()
                       if one.kind.is_floating_point and one.kind != torch.float64]  # fmt: skip
            if missing:
                self.why = "it does not compute in float64"
        if self.why:
            self._reference = []
        self.restore()

    def rows(self, variant: Variant) -> list[dict[str, Any]]:
        """Every output and gradient with its errors, the inputs one after the other."""
        found = []
        for number, (case, index) in enumerate(self._places):
            first = self._first[number]
            results = self._results(variant, variant.items[case][index], first)
            for name, value in first.items():
                reference = self._reference[number].get(name) if self._reference else None
                row = _row(value, self._again[number].get(name), results.get(name), reference)
                found.append({"name": name, "case": case, "input": index, **row})
        self.restore()
        return found

    def restore(self) -> None:
        """Give the modules the state that they began with."""
        with torch.no_grad():
            for one, before in self._state:
                one.data.copy_(before)

    def _results(self, variant: Variant, item: Input, like: Results | None = None) -> Results:
        self.restore()
        subject = self._subject
        own = Input(cloned(item.args), cloned(item.kwargs))
        with subject.surrounded():
            variant.clear()
            result = subject.call(variant.call, own)
            loss = variant.loss(result) if subject.train else None
            found = {name: _Kept(one, like, name) for name, one in numbers_in("output", result)}
            if subject.train:
                if loss is not None:
                    found["loss"] = _Kept(loss, like, "loss")
                variant.backward(result)
                for name, gradient in variant.gradients():
                    key = f"gradient of {name}"
                    found[key] = _Kept(gradient, like, key)
                for name, one in subject.tensors(own).items():
                    if one.requires_grad and one.grad is not None:
                        key = f"gradient of {name}"
                        found[key] = _Kept(one.grad, like, key)
            variant.clear()
        return found

    @contextmanager
    def _in_float64(self) -> Iterator[None]:
        self.restore()
        held = [(one, one.data) for one in _tensors_of(self._subject.modules)]
        autocast, self._subject.autocast = self._subject.autocast, ()
        state, self._state = self._state, []
        try:
            for one, data in held:
                if data.is_floating_point():
                    one.data = data.double()
            # From here each float64 call begins from the same state too.
            self._state = [(one, one.data.clone()) for one, _ in held]
            yield
        finally:
            for one, data in held:
                one.grad = None if one.requires_grad else one.grad
                one.data = data
            self._subject.autocast = autocast
            self._state = state


class _Kept:
    """A result for comparison: its shape, and its elements or an even sample of them."""

    def __init__(self, value: Any, like: Results | None, name: str) -> None:
        one = value.detach()
        self.whole = tuple(int(size) for size in one.shape)
        self.kind = one.dtype
        other = like.get(name) if like else None
        if other is not None and len(other.whole) == one.dim() and other.whole != self.whole:
            # Padded: what is compared is the part that is not padding.
            fits = all(a <= b for a, b in zip(other.whole, self.whole, strict=True))
            if fits:
                one = one[tuple(slice(size) for size in other.whole)]
        self.shape = tuple(int(size) for size in one.shape)
        if one.layout is not torch.strided:
            one = one.to_dense()
        if one.is_complex():
            one = torch.view_as_real(one.resolve_conj())
        flat = one.reshape(-1)
        self.values = flat[:: -(-flat.numel() // _MOST) or 1].clone()


def _row(first: _Kept, again: _Kept | None, found: _Kept | None, exact: _Kept | None) -> Any:
    row: dict[str, Any] = {"dtype": str(first.kind).removeprefix("torch.")}
    if found is None:
        return {**row, "detail": "the compiled call does not return it"}
    if found.shape != first.shape:
        return {**row, "detail": f"shape {list(first.whole)} became {list(found.whole)}"}
    if found.kind != first.kind:
        row["detail"] = f"dtype {row['dtype']} became {str(found.kind).removeprefix('torch.')}"
    row["equal"] = bool(torch.equal(first.values, found.values)) or _both_nan(first, found)
    row["apart"] = _error(found, first)
    row["again"] = _error(again, first) if again is not None and again.shape == first.shape else 1.0
    if exact is not None and exact.shape == first.shape:
        row["eager"] = _error(first, exact)
        row["compiled"] = _error(found, exact)
    return row


def _both_nan(one: _Kept, other: _Kept) -> bool:
    if not one.kind.is_floating_point or one.kind != other.kind:
        return False
    return bool(torch.allclose(one.values, other.values, rtol=0, atol=0, equal_nan=True))


def _error(found: _Kept, exact: _Kept) -> float | None:
    """The norm of the difference by that of what is exact; None where other elements are finite."""
    if not exact.values.numel():
        return 0.0
    one, other = found.values.double(), exact.values.double()
    finite = torch.isfinite(other)
    if not torch.equal(finite, torch.isfinite(one)):
        return None
    apart = float(torch.linalg.vector_norm((one - other)[finite]))
    size = float(torch.linalg.vector_norm(other[finite]))
    return apart / size if size else apart


def _tensors_of(modules: list[Any]) -> list[Any]:
    found: dict[int, Any] = {}
    for module in modules:
        found |= {id(one): one for one in (*module.parameters(), *module.buffers())}
    return list(found.values())


def _double(item: Input) -> Input:
    def change(tensor: Any) -> Any:
        if not tensor.is_floating_point():
            return tensor
        return tensor.detach().double().requires_grad_(tensor.requires_grad)

    return Input(changed(item.args, change), changed(item.kwargs, change))


def _picked(subject: Subject, most: int) -> list[tuple[int, int]]:
    """The first, the last and one between, over all cases."""
    places = [
        (case, index) for case, one in enumerate(subject.cases) for index in range(len(one.inputs))
    ]
    if len(places) <= most:
        return places
    return [places[round(step * (len(places) - 1) / (most - 1))] for step in range(most)]
