"""What a call may have changed: its tensors, the module's buffers, plain attributes."""

from __future__ import annotations

import sys
from typing import Any

from .overlay_outputs import leaves

_PLAIN = (bool, int, float, str, type(None))


def state_of(module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[Any, Any]:
    """By a name for the user, a value that is another once it was written to."""
    torch: Any = sys.modules["torch"]
    found: dict[Any, Any] = {}
    for path, leaf in leaves("its arguments", [list(args), dict(kwargs)], 0):
        if isinstance(leaf, torch.Tensor):
            found[f"one of {path.partition('[')[0]}", id(leaf)] = _version(leaf)
    if isinstance(module, torch.nn.Module):
        for name, buffer in module.named_buffers():
            found[f"the buffer {name}"] = (id(buffer), _version(buffer))
        for name, part in module.named_modules():
            for key, value in vars(part).items():
                if type(value) in _PLAIN:
                    found[f"self.{name + '.' if name else ''}{key}"] = value
                elif not key.startswith("_") and type(value) in (list, dict, set):
                    found[f"self.{name + '.' if name else ''}{key}"] = len(value)
    return found


def changed(before: dict[Any, Any], after: dict[Any, Any]) -> str:
    """The first that is not what it was, "" where nothing is."""
    for what in {**before, **after}:
        if (what in before) != (what in after) or before[what] != after[what]:
            return str(what[0] if isinstance(what, tuple) else what)
    return ""


def _version(tensor: Any) -> int:
    # Tensors of inference mode count no writes.
    return -1 if tensor.is_inference() else int(tensor._version)  # noqa: SLF001
