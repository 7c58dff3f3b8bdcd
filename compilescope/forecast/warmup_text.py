"""The parts of a warm-up file that are the same in all of them."""

HEAD = '''"""Warm-up for {name}: the calls that compile all graphs that were foreseen.

{usage}

Each function takes the compiled model or function and the arguments of one real call; the calls
share everything with it but what is listed here. Call it before the first request, with the model
in the state in which it serves. {count}
{proof}
Written by `compilescope forecast` from a run with torch {torch}; needs torch alone.
"""

from __future__ import annotations

import contextlib
import copy
from typing import Any

import torch
import torch._dynamo

'''

TAIL = '''

def _warm_up(model: Any, calls: list[Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    _make_room(len(calls))
    random = torch.get_rng_state()
    for modes, parts in calls:
        sample = {"args": args, "kwargs": kwargs}
        bound = _bound(sample, parts)
        made: Any = sample
        for keys, what, *rest in parts:
            held = _find(made, keys)
            if what == "tensor":
                made = _replaced(made, keys, _tensor(held, *rest, bound=bound))
            elif what == "value":
                made = _replaced(made, keys, rest[0])
            else:
                made = _replaced(made, keys, _container(held, what, rest[0]))
        with _modes(model, **modes):
            model(*made["args"], **made["kwargs"])
    torch.set_rng_state(random)


def _make_room(graphs: int) -> None:
    """Raise the recompile limits to the number of graphs, where they are lower."""
    config: Any = torch._dynamo.config
    for name in ("recompile_limit", "accumulated_recompile_limit", "cache_size_limit",
                 "accumulated_cache_size_limit"):
        if getattr(config, name, graphs) < graphs:
            setattr(config, name, graphs)


@contextlib.contextmanager
def _modes(
    model: Any,
    *,
    grad: bool | None = None,
    inference: bool = False,
    autocast: tuple[Any, ...] = (),
    training: bool | None = None,
    default_dtype: Any = None,
) -> Any:
    before = torch.get_default_dtype(), getattr(model, "training", None)
    with contextlib.ExitStack() as stack:
        if inference:
            stack.enter_context(torch.inference_mode())
        elif grad is not None:
            stack.enter_context(torch.set_grad_enabled(grad))
        for kind, dtype in autocast:
            stack.enter_context(torch.autocast(kind, dtype=dtype))
        torch.set_default_dtype(default_dtype or before[0])
        switched = training is not None and hasattr(model, "train")
        if switched:
            model.train(training)
        try:
            yield
        finally:
            torch.set_default_dtype(before[0])
            if switched and before[1] is not None:
                model.train(before[1])


def _bound(sample: Any, parts: Any) -> int | None:
    """What indexes must stay below: the smallest size that something shrinks to."""
    shrunk = []
    for keys, what, *rest in parts:
        held = _find(sample, keys)
        if what == "tensor" and isinstance(held, torch.Tensor) and held.dim() == len(rest[0]):
            pairs = zip(rest[0], held.shape, strict=True)
            shrunk += [size for size, before in pairs if 0 < size < before]
    return min(shrunk, default=None)


def _tensor(
    held: Any,
    shape: Any,
    strides: Any,
    dtype: Any = None,
    fill: str = "",
    requires_grad: bool | None = None,
    *,
    bound: int | None = None,
) -> torch.Tensor:
    if not isinstance(held, torch.Tensor) or held.dim() != len(shape):
        held = torch.zeros(shape, dtype=dtype or torch.get_default_dtype())
    elif (
        (held.shape, held.stride()) == (torch.Size(shape), tuple(strides))
        and dtype in (None, held.dtype)
        and requires_grad in (None, held.requires_grad)
        and not (fill or (bound and _is_whole(held)))
    ):
        return held  # itself: other arguments may be the same tensor
    with torch.inference_mode(held.is_inference()), torch.no_grad():
        dtype = dtype or held.dtype
        made = torch.empty_strided(shape, strides, dtype=dtype, device=held.device)
        content = held.detach()
        if made.numel() and not content.numel():
            content = torch.ones(shape, dtype=dtype, device=held.device)
        if made.numel():
            for dimension, size in enumerate(shape):
                index = torch.arange(size, device=held.device) % content.shape[dimension]
                content = content.index_select(dimension, index)
            if fill:
                content = _filled(content, fill)
            if _is_whole(held) and bound and int(content.max()) >= bound:
                content = content % bound
            if all(step or size == 1 for size, step in zip(shape, strides, strict=True)):
                made.copy_(content)
        if held.requires_grad if requires_grad is None else requires_grad:
            made.requires_grad_()
    for name, mark in vars(held).items():
        if name.startswith("_dynamo_"):  # marked dynamic or unbacked
            setattr(made, name, mark)
    return made


def _is_whole(value: torch.Tensor) -> bool:
    return not (value.is_floating_point() or value.is_complex() or value.dtype == torch.bool)


def _filled(content: torch.Tensor, how: str) -> torch.Tensor:
    """Other values of the same kind: code between graphs looks at them."""
    name, _, seed = how.partition(" ")
    if name != "drawn":
        return torch.zeros_like(content) if name == "zeros" else torch.ones_like(content)
    generator = torch.Generator().manual_seed(int(seed))
    shape, held = tuple(content.shape), content.detach().cpu()
    if content.dtype == torch.bool:
        made = torch.rand(shape, generator=generator) < 0.5
    elif _is_whole(content):
        low, high = int(held.min()), int(held.max())
        low = min(low, 0) if low == high else low
        made = torch.randint(low, high + 1, shape, generator=generator)
        if len(shape) == 1 and shape[0] > 1 and bool((held[1:] >= held[:-1]).all()):
            made = made.sort().values
            made[0], made[-1] = low, high
    elif content.is_floating_point():
        held = held.float()
        spread = float(held.std()) if held.numel() > 1 else 0.25 * abs(float(held.mean()))
        made = torch.randn(shape, generator=generator) * spread + held.mean()
    else:
        return content
    return made.to(device=content.device, dtype=content.dtype)


def _container(held: Any, what: str, wanted: Any) -> Any:
    """A list or tuple of another length, or a dict with other keys."""
    if what == "names":
        return {name: held.get(name) for name in wanted}
    items = list(held)
    items += [items[-1] if items else None] * max(wanted - len(items), 0)
    return type(held)(items[:wanted])


def _find(held: Any, keys: Any) -> Any:
    for key in keys:
        try:
            held = getattr(held, key[1:]) if _is_attribute(key) else held[key]
        except (KeyError, IndexError, AttributeError, TypeError):
            return None
    return held


def _replaced(held: Any, keys: Any, value: Any) -> Any:
    if not keys:
        return value
    key, rest = keys[0], keys[1:]
    if _is_attribute(key):
        inner = _replaced(getattr(held, key[1:]), rest, value)
        if hasattr(held, "_replace"):
            return held._replace(**{key[1:]: inner})
        changed = copy.copy(held)
        setattr(changed, key[1:], inner)
        return changed
    if isinstance(held, tuple):
        parts = [*held, *[None] * (key + 1 - len(held))]
        parts[key] = _replaced(parts[key], rest, value)
        return tuple(parts) if type(held) is tuple else type(held)(*parts)
    changed = copy.copy(held)
    changed[key] = _replaced(held[key] if rest or not isinstance(held, dict) else None, rest, value)
    return changed


def _is_attribute(key: Any) -> bool:
    return isinstance(key, str) and key.startswith(".")
'''
