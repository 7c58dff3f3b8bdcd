"""Copies of a call's inputs that outlive the call: the caller may change or free its own."""

from __future__ import annotations

import copy
from typing import Any

import torch

Inputs = tuple[tuple[Any, ...], dict[str, Any]]


def own_copy(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Inputs:
    """`args` and `kwargs` with every tensor copied, which keeps what guards look at.

    Sizes, strides and `requires_grad` stay, and two inputs that are one tensor, or views of one
    storage, still are. What cannot be copied (a handle, a generator) is passed on as it is.
    """
    memo: dict[int, Any] = {}
    return (
        tuple(_copied(item, memo) for item in args),
        {name: _copied(item, memo) for name, item in kwargs.items()},
    )


def _copied(value: Any, memo: dict[int, Any]) -> Any:
    if isinstance(value, torch.Tensor):
        return _tensor(value, memo)
    if isinstance(value, (str, bytes, int, float, complex, bool, type(None))):
        return value
    if id(value) in memo:
        return memo[id(value)]
    if isinstance(value, tuple):
        items = [_copied(item, memo) for item in value]
        made: Any = type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    elif type(value) is list:
        made = memo[id(value)] = []
        made.extend(_copied(item, memo) for item in value)
    elif type(value) is dict:
        made = memo[id(value)] = {}
        made.update((key, _copied(item, memo)) for key, item in value.items())
    else:
        made = _object(value, memo)
    memo[id(value)] = made
    return made


def _tensor(value: torch.Tensor, memo: dict[int, Any]) -> torch.Tensor:
    if id(value) in memo:
        kept: torch.Tensor = memo[id(value)]
        return kept
    # A copy made in inference mode is an inference tensor, which guards tell from others.
    with torch.inference_mode(value.is_inference()), torch.no_grad():
        if value.is_leaf:
            # deepcopy keeps what guards see: aliases, strides, subclasses, marks of dynamic sizes.
            made: torch.Tensor = copy.deepcopy(value, memo)
        else:
            made = copy.deepcopy(value.detach(), memo).requires_grad_(value.requires_grad)
    memo[id(value)] = made
    return made


def _object(value: Any, memo: dict[int, Any]) -> Any:
    if isinstance(value, torch.nn.Module):
        return value  # its weights are what is to be computed with
    try:
        return copy.deepcopy(value, memo)
    except Exception:  # noqa: BLE001  whatever its own __deepcopy__ raises
        return value
