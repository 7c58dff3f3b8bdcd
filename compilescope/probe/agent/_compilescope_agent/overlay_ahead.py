"""An ahead-of-time graph for a trial: within the sizes that the baseline had, else eager."""

from __future__ import annotations

import copy
import inspect
import sys
from typing import TYPE_CHECKING, Any

from .overlay_state import changed, state_of

if TYPE_CHECKING:
    from collections.abc import Callable

_MANY = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


class NotYetError(Exception):
    """This call is no sample to export with: it has a size outside of the bounds."""


def ahead(
    module: Any, bounds: dict[str, dict[str, Any]], args: tuple[Any, ...],
    kwargs: dict[str, Any], missed: Callable[[str], None],
) -> Any:  # fmt: skip
    """`module` through `aot_or_eager`, with this call as the sample.

    Raises:
        NotYetError: a later call has to be the sample.
        ValueError: no ahead-of-time graph is for these calls.
        Exception: of `aot_or_eager`, where the module cannot be exported.
    """
    torch: Any = sys.modules["torch"]
    if not isinstance(module, torch.nn.Module):
        raise ValueError("torch.export takes a module, and this is a function")  # noqa: TRY004
    given = inspect.signature(module.forward).bind(*args, **kwargs)
    if any(one.kind in _MANY for one in given.signature.parameters.values()):
        raise ValueError("forward takes *args or **kwargs: bounds go by the names of arguments")
    shapes = _shapes(torch, bounds, given.arguments)
    leaves = [*module.parameters(), *(one for one in given.arguments.values() if _is(torch, one))]
    if torch.is_grad_enabled() and any(one.requires_grad for one in leaves):
        raise ValueError("its calls want gradients: call it under torch.no_grad()")
    _refuse_writes(torch, module, args, kwargs)

    from compilescope.mitigations.ahead import aot_or_eager

    return aot_or_eager(module, args, shapes, sample_kwargs=kwargs, on_violation=missed)


def _is(torch: Any, value: Any) -> bool:
    return isinstance(value, torch.Tensor)


def _shapes(torch: Any, bounds: dict[str, dict[str, Any]], given: dict[str, Any]) -> Any:
    """`dynamic_shapes` for torch.export, which wants each argument named."""
    dims: dict[str, Any] = {}
    found: dict[str, Any] = {}
    for name, value in given.items():
        found[name] = None
        for place, (label, low, high) in bounds.get(name, {}).items():
            if not low <= value.shape[int(place)] <= high:
                raise NotYetError
            if label not in dims:
                dims[label] = torch.export.Dim(label, min=low, max=high)
            found[name] = {**(found[name] or {}), int(place): dims[label]}
    return found if dims else None


def _refuse_writes(torch: Any, module: Any, args: Any, kwargs: Any) -> None:
    """Run a copy once: an export may drop what a call writes, or do it at another time."""
    with torch.random.fork_rng(), torch.no_grad():
        twin, given, named = copy.deepcopy((module, args, kwargs))
        before = state_of(twin, given, named)
        type(twin).forward(twin, *given, **named)
        what = changed(before, state_of(twin, given, named))
    if what:
        raise ValueError(f"a call changes {what}, and it is for calls that leave no trace")
