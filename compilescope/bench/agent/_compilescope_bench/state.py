"""Inputs and modules as they were, so that each compared call begins from the same state."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .library import torch
from .subject import Subject, copied


class Given:
    """A few of the inputs as they came; made before the first call, which may change them."""

    def __init__(self, subject: Subject, most: int = 3) -> None:
        self._subject = subject
        self.places = _picked(subject, most)  # numbers of a case and of an input in it
        self.items = [copied(subject.cases[case].inputs[index]) for case, index in self.places]

    def put_back(self) -> None:
        """Give those that calls changed in place the values that they came with."""
        for (case, index), given in zip(self.places, self.items, strict=True):
            live = self._subject.tensors(self._subject.cases[case].inputs[index])
            for name, before in self._subject.tensors(given).items():
                now = live.get(name)
                if now is not None and now.shape == before.shape and is_other(now, before):
                    with torch.inference_mode(now.is_inference()):
                        now.data.copy_(before)


class State:
    """Parameters and buffers of modules, with the values that they had at first."""

    def __init__(self, modules: list[Any]) -> None:
        self._places = list(_places(modules))
        self._before = {id(one): (one, one.detach().clone()) for _, _, _, one in self._places
                        if one is not None}  # fmt: skip

    def restore(self) -> None:
        """Put every tensor back into its module, with its first value."""
        for _, owner, key, one in self._places:
            if _now(owner, key) is not one:  # `self.mean = …` in the forward
                owner[key] = one
        with torch.no_grad():
            for one, before in self._before.values():
                one.data.copy_(before)

    def originals(self) -> dict[str, Any]:
        """The first values, by name."""
        return {name: self._before[id(one)][1] for name, _, _, one in self._places
                if one is not None}  # fmt: skip

    def changed(self) -> Iterator[tuple[str, Any]]:
        """The tensors that are not as they were, each once."""
        seen = set()
        for name, owner, key, one in self._places:
            now = _now(owner, key)
            if now is None or one is None or id(now) in seen:
                continue
            seen.add(id(now))
            if is_other(now, self._before[id(one)][1]):
                yield name, now

    @contextmanager
    def in_dtype(self, dtype: Any) -> Iterator[None]:
        """Every floating-point tensor in `dtype` for a while; the first values are then too."""
        self.restore()
        held = [(one, one.data) for one, _ in self._before.values()]
        before = self._before
        try:
            for one, data in held:
                if data.is_floating_point():
                    one.data = data.to(dtype, copy=True)
            self._before = {id(one): (one, one.data.clone()) for one, _ in held}
            yield
            self.restore()
        finally:
            for one, data in held:
                one.grad = None if one.requires_grad else one.grad
                one.data = data
            self._before = before


def is_other(now: Any, before: Any) -> bool:
    """Whether a tensor has another value; False for tensors of special kinds, which are not read.

    Tensors with a NaN in them count as changed.
    """
    if now.layout is not torch.strided or type(now) not in _PLAIN:
        return False
    return now.shape != before.shape or not torch.equal(now.detach(), before.detach())


_PLAIN = (torch.Tensor, torch.nn.Parameter, getattr(torch.nn, "Buffer", torch.Tensor))


def _now(owner: Any, key: str) -> Any:
    return owner[key] if key in owner else None  # noqa: SIM401  a scripted module's has no `get`


def _places(modules: list[Any]) -> Iterator[tuple[str, Any, str, Any]]:
    """Each parameter and buffer with its name, and with the dict and key that hold it."""
    for number, module in enumerate(modules):
        label = f"{type(module).__name__} {number}: " if len(modules) > 1 else ""
        for path, part in module.named_modules():
            for owner in (part._parameters, part._buffers):  # noqa: SLF001
                for key, one in list(owner.items()):
                    yield f"{label}{path}.{key}" if path else f"{label}{key}", owner, key, one


def _picked(subject: Subject, most: int) -> list[tuple[int, int]]:
    """The first, the last and one between, over all cases."""
    places = [
        (case, index) for case, one in enumerate(subject.cases) for index in range(len(one.inputs))
    ]
    if len(places) <= most:
        return places
    return [places[round(step * (len(places) - 1) / (most - 1))] for step in range(most)]
