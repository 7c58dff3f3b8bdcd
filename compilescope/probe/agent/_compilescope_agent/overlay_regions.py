"""Regional compile: the repeated blocks of a model are compiled, the model around them is not."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

from .callables import module_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from .overlay import Overlay
    from .overlay_calls import Door


class Regions:
    """Compiles the blocks of each model that the program compiles as a whole."""

    def __init__(self, overlay: Overlay) -> None:
        self._overlay = overlay
        self.door: Door | None = None
        self.busy = False

    def compile(self, original: Callable[..., Any], model: Any, keywords: dict[str, Any]) -> Any:
        """What the program gets for `torch.compile(model)`."""
        torch: Any = sys.modules["torch"]
        module = model if isinstance(model, torch.nn.Module) else module_of(model)
        found = blocks(module) if module is not None else []
        if self.busy or not found:
            if not self.busy:
                why = "has no repeated blocks" if module is not None else "is no module"
                self._overlay.record.refused("regional", f"what is compiled {why}")
            return original(model, **keywords)
        self.busy = True
        try:
            for block in found:
                block.compile(**keywords)
        finally:
            self.busy = False
        if self.door is not None:
            self.door.observe(module)
        self._overlay.record.applied("regional")
        # As a compiled module has it; in `__dict__`, or it would become its own child.
        vars(module).setdefault("_orig_mod", module)
        return model


def blocks(module: Any) -> list[Any]:
    """The outermost modules with parts of their own of whose class there are several."""
    torch: Any = sys.modules["torch"]
    nn = torch.nn
    containers = (nn.ModuleList, nn.ModuleDict, nn.Sequential)
    counts = Counter(type(one) for one in module.modules())
    found: list[Any] = []
    waiting = list(module.children())[::-1]
    while waiting:
        one = waiting.pop()
        parts = list(one.children())
        if parts and counts[type(one)] > 1 and not isinstance(one, containers):
            found.append(one)
        else:
            waiting += parts[::-1]
    return found
