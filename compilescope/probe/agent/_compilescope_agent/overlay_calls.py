"""The way into and out of every compiled callable of a trial.

The callable that torch.compile returns is put inside a function of ours, which may change the
arguments, call it beforehand to warm it up, and look at what it returns. A trial is not the user's
own run: here that is acceptable, in a probe it would not be.
"""

from __future__ import annotations

import functools
import os
import sys
import threading
import time
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any

from .callables import code_of, module_of, written
from .inputs import Names
from .overlay import name_of
from .overlay_arguments import Changes
from .overlay_inputs import InputRecorder, WarmUp
from .overlay_outputs import Outputs
from .overlay_padding import cut

if TYPE_CHECKING:
    from types import ModuleType

    from .overlay import Overlay
    from .overlay_mitigations import Mitigated
    from .overlay_padding import Cut


_MOST_PLACES = 64


def watch(eval_frame: ModuleType, overlay: Overlay) -> None:
    """See to it that every compiled callable goes through `overlay`."""
    context: Any = getattr(eval_frame, "OptimizeContext", None)
    if context is None:
        overlay.record.refused("calls", "this torch has no OptimizeContext")
        return
    torch: Any = sys.modules["torch"]
    original = context.__call__
    door = Door(eval_frame, overlay)
    if overlay.regions is not None:
        overlay.regions.door = door
    mitigated = _mitigated(overlay)

    @functools.wraps(original)
    def __call__(self: Any, function: Any) -> Any:  # noqa: N807
        result = original(self, function)
        if overlay.regions is not None and overlay.regions.busy:
            return result
        # A module comes back here with its `__call__`; a class is only prepared for its instances.
        if isinstance(function, (torch.nn.Module, type)) or not callable(result):
            return result
        if mitigated is not None:
            served = mitigated.around(self, function, name_of(function))
            if served is None:
                return result
            result = functools.wraps(result)(served)
        return door.around(function, result)

    context.__call__ = __call__


def _mitigated(overlay: Overlay) -> Mitigated | None:
    if not overlay.serve:
        return None
    from .overlay_mitigations import Mitigated

    return Mitigated(overlay, overlay.serve)


class Door:
    """Makes the functions that stand around compiled callables."""

    def __init__(self, eval_frame: Any, overlay: Overlay) -> None:
        self._overlay = overlay
        # Not by the name in `eval_frame`, which it has since torch 2.7 only.
        self._set_eval_frame = sys.modules["torch"]._C._dynamo.eval_frame.set_eval_frame  # noqa: SLF001
        self._skip_code = getattr(eval_frame, "skip_code", None)
        self._recorder = InputRecorder(overlay.record, overlay.observe.get("inputs", 0))
        self._outputs = Outputs(overlay.record, enabled=bool(overlay.observe.get("outputs")))
        self._counts: dict[str, int] = {}
        self._warm: set[str] = set()
        self._late: set[str] = set()  # callables that were first called in a frozen program
        self._places: set[tuple[str, str, int]] = set()
        self._lock = threading.RLock()
        self._skipped = False

    def around(self, function: Any, compiled: Any) -> Any:
        """`compiled` with the overlay's doings before and after each call."""
        name = name_of(function)
        module = module_of(function)
        inner = module.forward if module is not None else written(function)
        code = code_of(inner)
        receiver = module if module is not None else getattr(inner, "__self__", None)
        names = Names(code, skip_first=hasattr(inner, "__self__")) if code else None
        changes = Changes(self._overlay, name, names, receiver, inner)
        regions = self._overlay.regions
        changes.is_part = regions is not None and regions.busy
        set_eval_frame = self._set_eval_frame

        @functools.wraps(compiled)
        def overlaid(*args: Any, **kwargs: Any) -> Any:
            # As torch does in its own wrapper: nothing of ours may be compiled.
            prior, held = set_eval_frame(None), ExitStack()
            try:
                args, kwargs, index, cuts = self._enter(changes, compiled, args, kwargs)
                self._hold(changes, held)
            finally:
                set_eval_frame(prior)
            try:
                result = compiled(*args, **kwargs)
            finally:
                prior = set_eval_frame(None)
                held.close()
                set_eval_frame(prior)
            prior = set_eval_frame(None)
            try:
                result = cut(result, cuts)
                self._leave(changes, index, cut(args, cuts), cut(kwargs, cuts), result)
            finally:
                set_eval_frame(prior)
            return result

        if not self._skipped and self._skip_code is not None:
            self._skipped = True
            with suppress(Exception):
                self._skip_code(code_of(overlaid))
        return overlaid

    def _enter(
        self, changes: Changes, compiled: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any], int, list[Cut]]:
        with self._lock:
            name = changes.name
            index = self._next(name)
            cuts: list[Cut] = []
            try:
                if name not in self._warm:
                    self._warm.add(name)
                    self._warm_up(changes, compiled, args, kwargs)
                self._recorder.before(name, index, args, kwargs)
                args, kwargs = changes.apply(args, kwargs, first=index == 0)
                cuts = changes.cuts
            except Exception as error:  # noqa: BLE001
                self._overlay.record.refused(f"arguments of {name}", repr(error))
        return args, kwargs, index, cuts

    def _hold(self, changes: Changes, held: ExitStack) -> None:
        try:
            changes.modes.enter(held)
        except Exception as error:  # noqa: BLE001
            self._overlay.record.refused("modes", f"{type(error).__name__}: {error}")

    def _next(self, name: str) -> int:
        """The number of the call that begins."""
        index = self._counts[name] = self._counts.get(name, -1) + 1
        with suppress(Exception):
            self._overlay.called(index)
            if index == 0:
                self._overlay.settle()
                if self._overlay.misses is not None:
                    self._late.add(name)
            self._note_place(name)
        return index

    def observe(self, module: Any) -> None:
        """Look at the calls of `module` itself, of which torch.compile knows only parts."""
        name = name_of(module)
        names = Names(code_of(module.forward), skip_first=True)
        changes = Changes(self._overlay, name, names, module, module.forward)
        running: list[tuple[int, int]] = []

        def begin(_module: Any, _args: Any, _kwargs: Any) -> None:
            with self._lock:
                running.append((self._next(name), _now()))

        def end(_module: Any, args: Any, kwargs: Any, result: Any) -> None:
            index, began = running.pop()
            ended = _now()
            self._overlay.record.note("call", callable=name, index=index, began=began, ended=ended)
            self._leave(changes, index, args, kwargs, result)

        module.register_forward_pre_hook(begin, with_kwargs=True)
        module.register_forward_hook(end, with_kwargs=True)

    def _leave(
        self, changes: Changes, index: int, args: tuple[Any, ...], kwargs: dict[str, Any],
        result: Any,
    ) -> None:  # fmt: skip
        try:
            misses = self._overlay.misses
            if misses is not None and (misses.take() or changes.name in self._late):
                self._overlay.record.note("eager", at=time.time_ns())
            self._recorder.after(changes.name, index)
            if not changes.is_part:  # reading its results would count in the time of the model
                self._outputs.note(changes, index, args, kwargs, result)
        except Exception as error:  # noqa: BLE001
            self._overlay.record.refused(f"outputs of {changes.name}", repr(error))

    def _warm_up(
        self, changes: Changes, compiled: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        for entry in self._overlay.warm_up:
            if entry.get("callable", "") in ("", changes.name):
                WarmUp(self._overlay.record, entry).run(changes, compiled, args, kwargs)

    def _note_place(self, name: str) -> None:
        """Note each line from which the callable is called: a patch goes there."""
        frame: Any = sys._getframe(1)  # noqa: SLF001
        while frame is not None:
            path = frame.f_code.co_filename
            inside = "_compilescope_agent" in path or "/torch/" in path.replace("\\", "/")
            if not inside:
                place = (name, path, frame.f_lineno)
                if place not in self._places and len(self._places) < _MOST_PLACES:
                    self._places.add(place)
                    self._overlay.record.note(
                        "place", callable=name, path=path, line=frame.f_lineno,
                        function=frame.f_code.co_name,
                    )  # fmt: skip
                return
            frame = frame.f_back


def _now() -> int:
    """Unix time in nanoseconds, once the device has caught up where the run waits for it."""
    cuda: Any = getattr(sys.modules.get("torch"), "cuda", None)
    if os.environ.get("COMPILESCOPE_SYNC") == "1" and cuda is not None and cuda.is_initialized():
        cuda.synchronize()
    return time.time_ns()
