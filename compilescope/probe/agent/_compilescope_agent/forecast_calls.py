"""Calls of a compiled callable for the exploration: eager, from the cache alone, or in earnest."""

from __future__ import annotations

import random
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from .forecast_inputs import Candidate

if TYPE_CHECKING:
    from .forecast import Forecast
    from .forecast_samples import Watched

_DETECTED = "Detected recompile"
_PLAIN = (bool, int, float, str, bytes, type(None), tuple)
_MOST_BYTES = 256 << 20


class Caller:
    """Calls one callable and leaves its state as it was."""

    def __init__(self, forecast: Forecast, watched: Watched) -> None:
        self._forecast = forecast
        self._watched = watched
        self._state = _State(watched)
        self._compiler: Any = sys.modules["torch.compiler"]

    def eager(self, candidate: Candidate) -> str:
        """Why the program itself cannot take the input; "" where it can."""
        error = self._call(candidate, "force_eager")
        return "" if error is None else _text(error)

    def served(self, candidate: Candidate) -> bool:
        """Whether a graph that exists takes the input; guards can also raise over it."""
        return self._call(candidate, "fail_on_recompile") is None

    def refused(self, candidate: Candidate) -> bool:
        """Whether the guards of all graphs that exist say no."""
        error = self._call(candidate, "fail_on_recompile")
        return error is not None and str(error).startswith(_DETECTED)

    def compile(self, candidate: Candidate, *, restore: bool = True) -> tuple[tuple[str, ...], str]:
        """The compile ids that the call paid for, and the error that it ended with."""
        self._forecast.last = None
        error = self._call(candidate, "default", restore=restore)
        last = self._forecast.last
        return tuple(last.ids) if last else (), "" if error is None else _text(error)

    def restore(self) -> None:
        """Take back what calls did to the state."""
        self._state.restore()

    def _call(self, candidate: Candidate, stance: str, *, restore: bool = True) -> Exception | None:
        args, kwargs = candidate.build()
        try:
            with (
                candidate.sample.ambient.again(self._watched.module),
                self._compiler.set_stance(stance),
            ):
                self._watched.call(*args, **kwargs)
        except Exception as error:  # noqa: BLE001  whatever the program raises is an answer
            return error
        finally:
            if restore:
                self._state.restore()
        return None


class _State:
    """Buffers and plain attributes of the modules that the callable reaches."""

    def __init__(self, watched: Watched) -> None:
        torch: Any = sys.modules["torch"]
        self._random = _drawn(torch)
        self._attributes: list[tuple[dict[str, Any], dict[str, Any]]] = []
        self._buffers: list[tuple[Any, Any, int]] = []
        left = _MOST_BYTES
        for root in _modules(watched):
            for module in root.modules():
                held = vars(module)
                plain = {
                    name: value
                    for name, value in held.items()
                    if isinstance(value, (*_PLAIN, torch.Tensor)) and name != "training"
                }
                self._attributes.append((held, plain))
                for buffer in module.buffers(recurse=False):
                    left -= buffer.numel() * buffer.element_size()
                    if left > 0 and not buffer.is_inference():
                        copy = buffer.detach().clone()
                        self._buffers.append((buffer, copy, buffer._version))  # noqa: SLF001

    def restore(self) -> None:
        torch: Any = sys.modules["torch"]
        for set_state, state in self._random:
            set_state(state)
        for held, plain in self._attributes:
            for name, value in plain.items():
                if held.get(name, self) is not value:
                    held[name] = value
        for place, (buffer, copy, version) in enumerate(self._buffers):
            if buffer._version != version:  # noqa: SLF001
                with torch.no_grad():
                    buffer.copy_(copy)
                self._buffers[place] = (buffer, copy, buffer._version)  # noqa: SLF001


def _drawn(torch: Any) -> list[tuple[Any, Any]]:
    """How to draw the same numbers again: layers are dropped by Python's, too."""
    found = [(torch.set_rng_state, torch.get_rng_state()), (random.setstate, random.getstate())]
    numpy: Any = sys.modules.get("numpy.random")
    if numpy is not None:
        found.append((numpy.set_state, numpy.get_state()))
    return found


def _modules(watched: Watched) -> list[Any]:
    torch: Any = sys.modules["torch"]
    if watched.module is not None:
        return [watched.module]
    function = watched.function
    found = [getattr(function, "__self__", None)]
    with suppress(ValueError):  # a cell that was never filled
        found += [cell.cell_contents for cell in getattr(function, "__closure__", None) or ()]
    names = getattr(getattr(function, "__code__", None), "co_names", ())
    space = getattr(function, "__globals__", {})
    found += [space.get(name) for name in names]
    return [item for item in found if isinstance(item, torch.nn.Module)]


def _text(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:2000]
