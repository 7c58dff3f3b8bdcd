"""What is measured: a model or function, its inputs, and what surrounds a call of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from .library import torch
from .tensors import cloned, described, leaves, tensors


@dataclass
class Input:
    """The arguments of one call, and how often the program made it."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    weight: int = 1


@dataclass
class Case:
    """Inputs that are measured together."""

    name: str
    inputs: list[Input]


@dataclass
class Subject:
    """A model or function with everything that a call of it needs."""

    target: Any
    cases: list[Case]
    name: str
    train: bool = False  # forward and backward
    grad: bool = False  # whether autograd records
    optimizer: Any = None  # a class or an instance, for training steps
    loss: Callable[[Any], Any] | None = None
    options: dict[str, Any] = field(default_factory=dict)  # of torch.compile
    autocast: tuple[tuple[str, Any], ...] = ()  # device and dtype
    inference: bool = False
    steps: bool = False  # a call runs a backward of its own
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.modules = modules_of(self.target)
        self.device = self._device()

    @property
    def what(self) -> str:
        """In words, what one measured call does."""
        if self.steps:
            return "training step"
        if self.train:
            return "training step" if self.optimizer is not None else "forward and backward"
        return "call" if self.grad else "inference"

    @property
    def inputs(self) -> list[Input]:
        """Those of all cases."""
        return [item for case in self.cases for item in case.inputs]

    def tensors(self, item: Input) -> dict[str, Any]:
        """The tensors of an input by their paths."""
        return tensors(self.target, item.args, item.kwargs)

    def described(self, item: Input) -> str:
        """An input in words."""
        return described(self.target, item.args, item.kwargs)

    def parameters(self) -> Iterator[tuple[str, Any]]:
        """The parameters that there are known to be, by name."""
        several = len(self.modules) > 1
        for number, module in enumerate(self.modules):
            for name, parameter in module.named_parameters():
                yield (f"{type(module).__name__} {number}: {name}" if several else name), parameter

    def dtype(self) -> str:
        """The dtype of the first parameter, or else of the first input."""
        for _, parameter in self.parameters():
            return str(parameter.dtype).removeprefix("torch.")
        for item in self.inputs:
            for tensor in self.tensors(item).values():
                if tensor.is_floating_point():
                    return str(tensor.dtype).removeprefix("torch.")
        return ""

    @contextmanager
    def surrounded(self) -> Iterator[None]:
        """What stands around a whole block of calls."""
        with ExitStack() as stack:
            if self.inference:
                stack.enter_context(torch.inference_mode())
            else:
                stack.enter_context(torch.set_grad_enabled(self.grad or self.train))
            yield

    def call(self, call: Any, item: Input) -> Any:
        """One call, in the autocast that surrounds a step."""
        if not self.autocast:
            return call(*item.args, **item.kwargs)
        with ExitStack() as stack:
            for kind, dtype in self.autocast:
                stack.enter_context(torch.autocast(kind, dtype=dtype))
            return call(*item.args, **item.kwargs)

    def _device(self) -> Any:
        found = [parameter.device for _, parameter in self.parameters()]
        for item in self.inputs:
            found += [tensor.device for tensor in self.tensors(item).values()]
        special = [device for device in found if device.type not in ("cpu", "meta")]
        return next(iter(special or found), torch.device("cpu"))


def copied(item: Input) -> Input:
    """An input with tensors and containers of its own."""
    return Input(cloned(item.args), cloned(item.kwargs), item.weight)


def modules_of(target: Any) -> list[Any]:
    """The modules that `target` is or, a function, plainly uses."""
    if isinstance(target, torch.nn.Module):
        return [target]
    found: list[Any] = []
    _look(target, found, 2)
    # A module inside of another one that was found is not told again.
    inner = {id(part) for module in found for part in module.modules() if part is not module}
    return [module for module in found if id(module) not in inner]


def _look(target: Any, found: list[Any], depth: int) -> None:
    owner = getattr(target, "__self__", None)
    function = getattr(target, "__func__", target)
    code = getattr(function, "__code__", None)
    names = code.co_names if code else ()
    scope = getattr(function, "__globals__", {})
    values = [owner, *(scope.get(name) for name in names)]
    for cell in getattr(function, "__closure__", None) or ():
        with suppress(ValueError):  # not yet filled
            values.append(cell.cell_contents)
    for value in values:
        if isinstance(value, torch.nn.Module):
            if all(value is not one for one in found):
                found.append(value)
        elif depth and hasattr(value, "__code__"):
            _look(value, found, depth - 1)


def tensors_in(value: Any) -> list[Any]:
    """The tensors of a result."""
    return [part for _, part in leaves("", value) if isinstance(part, torch.Tensor)]
