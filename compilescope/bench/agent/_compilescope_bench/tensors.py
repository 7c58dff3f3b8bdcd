"""The tensors inside of arguments and results: found, cloned, described, marked, padded."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

from .library import torch
from .objects import held, is_object, remade

_DEEPEST = 6
_MOST = 400
Dimensions = list[tuple[str, int]]


def leaves(path: str, value: Any, depth: int = 0) -> Iterator[tuple[str, Any]]:
    """The tensors and numbers in `value` with the path to each."""
    if isinstance(value, torch.Tensor) or type(value) in (int, float, bool):
        yield path, value
    elif depth >= _DEEPEST:
        return
    elif isinstance(value, (list, tuple)):
        names = getattr(value, "_fields", None)
        for index, part in enumerate(value):
            inner = f"{path}.{names[index]}" if names else f"{path}[{index}]"
            yield from leaves(inner, part, depth + 1)
    elif isinstance(value, dict):
        dotted = hasattr(value, "to_tuple")  # an output of transformers
        for key, part in value.items():
            yield from leaves(f"{path}.{key}" if dotted else f"{path}[{key!r}]", part, depth + 1)
    elif hasattr(value, "__dataclass_fields__"):
        for key, part in vars(value).items():
            yield from leaves(f"{path}.{key}", part, depth + 1)
    elif is_object(value):
        yield from held(path, value)


def changed(value: Any, change: Callable[[Any], Any]) -> Any:
    """`value` with every tensor in its containers and objects replaced by `change` of it."""
    from torch.utils import _pytree

    return _pytree.tree_map(
        lambda part: change(part) if isinstance(part, torch.Tensor) else remade(part, change), value
    )


def cloned(value: Any) -> Any:
    """`value` with tensors of its own; parameters stay what they are.

    A tensor that is in it twice is one tensor in the copy, too.
    """
    known: dict[int, Any] = {}

    def clone(tensor: Any) -> Any:
        if isinstance(tensor, torch.nn.Parameter):
            return tensor
        if id(tensor) not in known:
            known[id(tensor)] = made_of(tensor)
        return known[id(tensor)]

    def made_of(tensor: Any) -> Any:
        with torch.inference_mode(mode=False), torch.no_grad():
            made = tensor.detach().clone()
        if tensor.requires_grad and tensor.dtype.is_floating_point:
            made.requires_grad_()
        for name, mark in vars(tensor).items():
            if name.startswith("_dynamo_"):
                setattr(made, name, mark)
        return made

    return changed(value, clone)


def named(target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Every argument with the name that `target` gives it."""
    function = target.forward if isinstance(target, torch.nn.Module) else target
    names: list[str] = []
    try:
        for one in inspect.signature(function).parameters.values():
            if one.kind not in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD):
                break
            names.append(one.name)
    except (TypeError, ValueError):
        names = []
    for index, value in enumerate(args):
        yield (names[index] if index < len(names) else f"args[{index}]"), value
    yield from kwargs.items()


def tensors(target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """Every tensor of a call by its path."""
    return {
        path: part
        for name, value in named(target, args, kwargs)
        for path, part in leaves(name, value)
        if isinstance(part, torch.Tensor)
    }


def described(target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """The inputs of a call in words: `x: float32[8, 128], scale: 2.0`."""
    parts = []
    for name, value in named(target, args, kwargs):
        for path, part in leaves(name, value):
            parts.append(f"{path}: {_kind(part)}")
    more = f", and {len(parts) - 12} more" if len(parts) > 12 else ""
    return ", ".join(parts[:12]) + more


def _kind(value: Any) -> str:
    if not isinstance(value, torch.Tensor):
        return repr(value)
    sizes = ", ".join(str(int(size)) for size in value.shape)
    return f"{str(value.dtype).removeprefix('torch.')}[{sizes}]"


def varying(calls: list[dict[str, Any]]) -> Dimensions:
    """The dimensions whose size is not the same in all `calls`, each a dict as of `tensors`."""
    seen: dict[tuple[str, int], set[int]] = {}
    for call in calls[:_MOST]:
        for path, tensor in call.items():
            for dimension, size in enumerate(tensor.shape):
                seen.setdefault((path, dimension), set()).add(int(size))
    return [place for place, sizes in seen.items() if len(sizes) > 1]


def mark(call: dict[str, Any], places: Dimensions, how: str) -> None:
    """Mark the dimensions at `places` of the tensors of a call; sizes 0 and 1 only as unbacked."""
    dynamo: Any = torch._dynamo  # noqa: SLF001
    function = getattr(dynamo, how, None) or getattr(dynamo.decorators, how)
    for path, dimension in places:
        tensor = call.get(path)
        if tensor is not None and (how == "mark_unbacked" or tensor.shape[dimension] > 1):
            function(tensor, dimension)


def padded(
    target: Any, args: tuple[Any, ...], kwargs: dict[str, Any], places: Dimensions, multiple: int
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments with the dimensions at `places` padded; labels with -100, others with 0."""
    made: dict[int, Any] = {}
    for path, tensor in tensors(target, args, kwargs).items():
        pads = [0, 0] * tensor.dim()
        for name, dimension in places:
            if name == path:
                size = int(tensor.shape[dimension])
                # torch counts the pads from the last dimension, before and after each.
                pads[2 * (tensor.dim() - 1 - dimension) + 1] = -size % multiple
        if any(pads):
            # What transformers and cross_entropy leave out of a loss.
            labels = path.rstrip("']").endswith("labels") and not tensor.is_floating_point()
            value = -100 if labels else 0
            made[id(tensor)] = torch.nn.functional.pad(tensor, pads, value=value)

    def change(tensor: Any) -> Any:
        return made.get(id(tensor), tensor)

    return changed(args, change), changed(kwargs, change)
