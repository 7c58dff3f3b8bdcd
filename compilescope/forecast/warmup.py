"""The warm-up: a Python file that calls a model once for every graph of a forecast."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from compilescope.model import ForecastCall, Session

_HEAD = '''"""Warm-up for {name}: one call for every graph that torch.compile makes of it.

{usage}

Each function takes the compiled model or function and the arguments of one real call; the calls
share everything with it but the sizes and numbers listed here. Call it before the first request,
with the model in the state in which it serves. {count}
Written by `compilescope forecast` from a run with torch {torch}; needs torch alone.
"""

from __future__ import annotations

import contextlib
import copy
from typing import Any

import torch
import torch._dynamo

'''
_TAIL = '''

def _warm_up(model: Any, calls: list[Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    _make_room(len(calls))
    for modes, leaves in calls:
        sample = {"args": args, "kwargs": kwargs}
        bound = _bound(sample, leaves)
        made = sample
        for keys, shape, strides, dtype, value in leaves:
            held = _find(sample, keys)
            if shape is not None:
                value = _tensor(held, shape, strides, dtype, bound)
            made = _replaced(made, keys, value)
        with _modes(**modes):
            model(*made["args"], **made["kwargs"])


def _make_room(graphs: int) -> None:
    """Raise the recompile limits to the number of graphs, where they are lower."""
    config: Any = torch._dynamo.config
    for name in ("recompile_limit", "accumulated_recompile_limit", "cache_size_limit",
                 "accumulated_cache_size_limit"):
        if getattr(config, name, graphs) < graphs:
            setattr(config, name, graphs)


@contextlib.contextmanager
def _modes(*, grad: bool = True, inference: bool = False, autocast: tuple[Any, ...] = ()) -> Any:
    with contextlib.ExitStack() as stack:
        if inference:
            stack.enter_context(torch.inference_mode())
        else:
            stack.enter_context(torch.set_grad_enabled(grad))
        for kind, dtype in autocast:
            stack.enter_context(torch.autocast(kind, dtype=dtype))
        yield


def _bound(sample: Any, leaves: Any) -> int | None:
    """What indexes must stay below: the smallest size that something shrinks to."""
    shrunk = []
    for keys, shape, *_ in leaves:
        held = _find(sample, keys)
        if shape is not None and isinstance(held, torch.Tensor) and held.dim() == len(shape):
            pairs = zip(shape, held.shape, strict=True)
            shrunk += [size for size, before in pairs if 0 < size < before]
    return min(shrunk, default=None)


def _tensor(held: Any, shape: Any, strides: Any, dtype: Any, bound: int | None) -> torch.Tensor:
    if not isinstance(held, torch.Tensor) or held.dim() != len(shape):
        return torch.zeros(shape, dtype=dtype)
    with torch.inference_mode(held.is_inference()), torch.no_grad():
        made = torch.empty_strided(shape, strides, dtype=held.dtype, device=held.device)
        content = held.detach()
        if made.numel() and not content.numel():
            content = torch.ones(shape, dtype=held.dtype, device=held.device)
        if made.numel():
            for dimension, size in enumerate(shape):
                index = torch.arange(size, device=held.device) % content.shape[dimension]
                content = content.index_select(dimension, index)
            whole = not held.is_floating_point() and not held.is_complex()
            if whole and bound and held.dtype != torch.bool and int(content.max()) >= bound:
                content = content % bound
            if all(step or size == 1 for size, step in zip(shape, strides, strict=True)):
                made.copy_(content)
        if held.requires_grad:
            made.requires_grad_()
    for name, mark in vars(held).items():
        if name.startswith("_dynamo_"):  # marked dynamic or unbacked
            setattr(made, name, mark)
    return made


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


def warmup(session: Session) -> str:
    """The file for `session`, whose forecast must not be None."""
    assert session.forecast is not None
    parts: list[str] = []
    usage: list[str] = []
    total = 0
    several = len({call.callable for call in session.forecast.calls}) > 1
    for number, target in enumerate(session.callables):
        calls = ordered([call for call in session.forecast.calls if call.callable == number])
        if not calls:
            continue
        total += len(calls)
        name = f"warm_up_{_identifier(target.name)}" if several else "warm_up"
        if name in "".join(usage):
            name = f"{name}_{number}"
        usage.append(f"    {name}(compiled_{_identifier(target.name)}, *args, **kwargs)")
        parts.append(_function(name, target.name, calls))
    head = _HEAD.format(
        name=session.name or "a program",
        usage="\n".join(usage),
        count=f"{total} calls, the most general first.",
        torch=session.environment.torch or "unknown",
    )
    return head + "\n".join(parts) + _TAIL


def ordered(calls: Sequence[ForecastCall]) -> list[ForecastCall]:
    """The calls to make, each input once: ordinary sizes, calls as they came, the special ones."""
    usable = [call for call in calls if not (call.repeat or call.unbounded or call.error)]

    def rank(call: ForecastCall) -> int:
        if call.what == "observed":
            return 1
        return 0 if call.what == "general" or not call.changes else 2

    found: dict[object, ForecastCall] = {}
    for call in sorted(usable, key=rank):
        found.setdefault((call.leaves, _modes(call), call.training), call)
    return list(found.values())


def _function(name: str, target: str, calls: list[ForecastCall]) -> str:
    constant = f"_{name.upper()}"
    lines = [f"{constant}: list[Any] = ["]
    for call in calls:
        lines.append(f"    # {_title(call)}")
        lines.append(f"    ({_modes(call)}, [")
        lines += [f"        {_leaf(leaf)}," for leaf in call.leaves]
        lines.append("    ]),")
    lines.append("]")
    body = [
        "",
        "",
        f"def {name}(model: Any, /, *args: Any, **kwargs: Any) -> None:",
        f'    """Call `{target}` once for every graph, with inputs made from this one."""',
        f"    _warm_up(model, {constant}, args, kwargs)",
        "",
    ]
    return "\n".join(lines + body)


def _title(call: ForecastCall) -> str:
    if call.what == "observed":
        return f"call {call.call} of the program"
    if not call.changes:
        return "ordinary sizes, all different"
    return title(call)


def title(call: ForecastCall) -> str:
    """What is special about an input, on one line."""
    by_value: dict[str, list[str]] = {}
    for change in call.changes:
        place = change.source + ("" if change.dimension is None else f".shape[{change.dimension}]")
        by_value.setdefault(change.value, []).append(place)
    text = ", ".join(f"{' = '.join(places)} = {value}" for value, places in by_value.items())
    return f"{text}; {call.layout}" if call.layout else text


def _modes(call: ForecastCall) -> str:
    parts = []
    if not call.grad and not call.inference:
        parts.append('"grad": False')
    if call.inference:
        parts.append('"inference": True')
    if call.autocast:
        pairs = "".join(f'("{kind}", {dtype}), ' for kind, dtype in call.autocast)
        parts.append(f'"autocast": ({pairs.rstrip()})')
    return "{" + ", ".join(parts) + "}"


def _leaf(leaf: object) -> str:
    from compilescope.model import ForecastLeaf

    assert isinstance(leaf, ForecastLeaf)
    keys = repr(tuple(leaf.keys))
    if leaf.shape is None:
        return f"({keys}, None, None, None, {leaf.value or None})"
    return f"({keys}, {leaf.shape!r}, {leaf.strides!r}, {leaf.dtype}, None)"


def _identifier(name: str) -> str:
    return re.sub(r"\W+", "_", name).strip("_").lower() or "callable"
