"""The first eager call: what a step consists of, and what calls do to their arguments."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .library import torch
from .steps import Variant
from .subject import Input, Subject, copied
from .tensors import leaves, named

_ITSELF = "the calls run their own backward: that, and what else they do, is what is measured"
_IN_PLACE = "the calls change their inputs in place"


def first_call(variant: Variant, subject: Subject) -> list[str]:
    """Make one step, and settle how every other one is made; what a reader must know of it.

    Raises:
        Problem: there is nothing to train.
    """
    own = copied(subject.inputs[0])
    before = _Seen(subject, own)
    result, itself = _called(variant, subject, own)
    notes = []
    if itself:
        # A second backward through the same graph is an error.
        subject.train, subject.optimizer = False, None
        subject.grad = subject.steps = True
        notes.append(_ITSELF)
    variant.find_leaves(result)
    names = before.moved_on(_Seen(subject, own))
    variant.anew = bool(names)
    if names:
        given = ", ".join(names[:3])
        notes.append(
            f"the calls change what they are given ({given}): each gets a copy of its own, made"
            " before its time begins"
        )
    elif before.written_to():
        notes.append(_IN_PLACE)
    return notes


def _called(variant: Variant, subject: Subject, item: Input) -> tuple[Any, bool]:
    """The result of a call, and whether it ran a backward of its own."""
    with _watched() as called:
        try:
            with subject.surrounded():
                return subject.call(variant.call, item), "backward" in called
        except RuntimeError:
            if subject.grad or subject.train or not called:
                raise
    # Nobody said that gradients are needed.
    subject.grad = True
    with _watched() as called, subject.surrounded():
        return subject.call(variant.call, copied(subject.inputs[0])), "backward" in called


@contextmanager
def _watched() -> Iterator[set[str]]:
    """The functions of torch.autograd that are called: `backward`, `grad`."""
    called: set[str] = set()
    originals = {name: getattr(torch.autograd, name) for name in ("backward", "grad")}

    def seen(name: str, original: Any) -> Any:
        def function(*args: Any, **kwargs: Any) -> Any:
            called.add(name)
            return original(*args, **kwargs)

        return function

    for name, original in originals.items():
        setattr(torch.autograd, name, seen(name, original))
    try:
        yield called
    finally:
        for name, original in originals.items():
            setattr(torch.autograd, name, original)


class _Seen:
    """The tensors and numbers of a call's arguments at one time."""

    def __init__(self, subject: Subject, item: Input) -> None:
        self.parts = [
            (name, path, part)
            for name, value in named(subject.target, item.args, item.kwargs)
            for path, part in leaves(name, value)
        ]
        self.keys = {path: _key(part) for _, path, part in self.parts}
        self._versions = [_version(part) for _, _, part in self.parts]

    def moved_on(self, later: _Seen) -> list[str]:
        """The arguments that hold something else since: added, replaced, or written to inside."""
        found = [name for one, other in ((self, later), (later, self))
                 for name, path, _ in one.parts
                 if one.keys[path] != other.keys.get(path)]  # fmt: skip
        found += [name for name, path in self.written_to() if path != name]
        return list(dict.fromkeys(found))

    def written_to(self) -> list[tuple[str, str]]:
        """The argument and path of each tensor that was changed in place since."""
        return [
            (name, path)
            for (name, path, part), version in zip(self.parts, self._versions, strict=True)
            if _version(part) != version
        ]


def _key(part: Any) -> Any:
    return (id(part), tuple(part.shape)) if isinstance(part, torch.Tensor) else part


def _version(part: Any) -> int:
    counted = isinstance(part, torch.Tensor) and not part.is_inference()
    return int(part._version) if counted else 0  # noqa: SLF001
