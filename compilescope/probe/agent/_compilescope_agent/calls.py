"""Every call of a compiled callable, seen from the hooks that torch runs around it.

`_TorchDynamoContext` runs `enter_exit_hooks` right before and after each call. A hook of ours in
that list leaves the compiled callable itself untouched: what is returned, pickled, inspected or
inlined into an outer region is the very object that the program would have had.
"""

from __future__ import annotations

import functools
import os
import sys
import threading
import weakref
from contextlib import suppress
from threading import get_ident
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

from . import environment, memory
from .call_log import CallLog
from .callables import Callables, Target
from .device_time import DeviceClock
from .inputs import describe, guard, reader
from .torch_logs import active

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from .record import Record

_MOST_SIGNATURES = 10_000
_MOST_LINES = 2_000_000


class Call:
    """A call that is running."""

    __slots__ = (
        "before", "device", "frame", "ids", "index", "key", "misses", "peak", "refused",
        "signature", "start", "started", "target",
    )  # fmt: skip

    def __init__(self, target: Target, frame: int, key: Any, signature: int) -> None:
        self.target = target
        self.frame = frame
        self.key = key
        self.signature = signature
        self.index = target.count
        self.ids: list[str] | tuple[str, ...] = ()
        self.started: set[str] | tuple[str, ...] = ()
        self.refused = False
        self.misses = 0
        self.before: BaseException | None = None
        self.start = 0
        self.device: Any = None
        self.peak: int | None = None

    def begin(self, compile_id: str) -> None:
        """Remember that `compile_id` began inside of this call."""
        self.started = {*self.started, compile_id}

    def pay(self, compile_id: str) -> None:
        """Remember that this call waited for `compile_id`."""
        if compile_id not in self.ids:
            self.ids = [*self.ids, compile_id]


def watch(eval_frame: ModuleType, record: Record) -> None:
    """See to it that every context which torch.compile makes carries our hook."""
    context: Any = getattr(eval_frame, "OptimizeContext", None)
    if context is None:
        record.note("missing", what="calls", why="this torch has no OptimizeContext")
        return
    tracker = Tracker(record)
    initialise = context.__init__

    @functools.wraps(initialise)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        initialise(self, *args, **kwargs)
        try:
            self.enter_exit_hooks.insert(0, tracker.hook(self))
        except Exception as error:  # noqa: BLE001
            record.trouble("context", error)

    context.__init__ = __init__


class Tracker:
    """Turns the two moments of a call into a line of the record."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._callables = Callables(record)
        self._signatures: dict[Any, int] = {}
        self._key, self._tensor = reader()
        self._lines = 0
        self._log = CallLog(record, "calls", b"C %d %d %d %d\n")
        asked = os.environ.get("COMPILESCOPE_DEVICE_TIME") == "1"
        self._device = DeviceClock(record) if asked else None
        self._threads: dict[int, int] = {}
        self._began = False
        self._synchronize = os.environ.get("COMPILESCOPE_SYNC") == "1"
        self._watches_guards = False
        self._counts_misses = False
        self._main = threading.main_thread().ident
        memory.watch(record)

    def hook(self, context: Any) -> Callable[[], Callable[[], None]]:
        """The function that torch runs before each call; it returns the one to run after."""
        # By the identity of what is called: a context may be used on several functions.
        targets: dict[int, tuple[Any, Target]] = {}
        getframe = sys._getframe  # noqa: SLF001
        partial = functools.partial

        def enter() -> Callable[[], None]:
            try:
                frame: Any = getframe(1)
                if frame.f_code.co_name == "<listcomp>":
                    frame = frame.f_back
                names = frame.f_locals
                if "fn" not in names:  # `with torch._dynamo.optimize(...)`: no single call
                    return _nothing
                function = names["fn"]
                held = targets.get(id(function))
                if held is None or held[0]() is not function:
                    target = self._begin(function, context)
                    targets[id(function)] = (_reference(function), target)
                else:
                    target = held[1]
                call = self._call(target, frame, names["args"], names["kwargs"])
                call.start = perf_counter_ns()
            except Exception as error:  # noqa: BLE001
                self._record.trouble("enter", error)
                return _nothing
            return partial(self._leave, call)

        return enter

    def _call(
        self, target: Target, frame: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Call:
        signature, known = -1, len(self._signatures)
        if kwargs or len(args) != target.arity or not target.check(*args):
            signature = self._changed(target, args, kwargs)
        call = Call(target, id(frame), target.key, signature)
        if len(self._signatures) > known:
            call.peak = memory.peak()
        target.count += 1
        try:
            calls = active.calls
        except AttributeError:
            calls = active.calls = []
        if calls:
            _forget_lost(calls, frame)
        calls.append(call)
        call.before = sys.exc_info()[1]
        if self._synchronize:
            _synchronize()
        if self._device is not None:
            call.device = self._device.begin()
        return call

    def _changed(self, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any]) -> int:
        """The signature of a call, or -1 where it is the one of the call before."""
        key = self._key(args, kwargs)
        if key == target.key:
            # The second call in a row: from now on torch's own check is the cheaper one.
            target.arity, target.guards = guard(args, kwargs, target.guards)
            target.check = target.guards.check if target.arity >= 0 else None
            return -1
        target.key = key
        target.arity, target.guards = -1, None
        return self._sign(target, key, args, kwargs)

    def _leave(self, call: Call) -> None:
        try:
            if self._synchronize:
                _synchronize()
            duration = perf_counter_ns() - call.start
            if call.device is not None and self._device is not None:
                self._device.finish(call.device, call.target.number, call.index)
            calls = active.calls
            if calls and calls[-1] is call:
                calls.pop()
            elif call in calls:
                del calls[calls.index(call) :]
            error = sys.exc_info()[1]
            failed = error is not None and error is not call.before
            target = call.target
            if call.refused or target.limit.reached:
                self._judge(call, failed=failed)
            self._lines += 1
            if (
                not call.ids
                and not failed
                and not call.refused
                and call.signature < 0
                and get_ident() == self._main
            ):
                if self._lines < _MOST_LINES:
                    self._log.add(target.number, call.index, call.start, duration)
                return
            self._write_fully(call, duration, type(error).__name__ if failed else "")
        except Exception as error:  # noqa: BLE001
            self._record.trouble("leave", error)

    def _write_fully(self, call: Call, duration: int, error: str) -> None:
        thread = get_ident()
        number = (
            0 if thread == self._main else self._threads.setdefault(thread, len(self._threads) + 1)
        )
        fields: dict[str, Any] = {
            "c": call.target.number, "i": call.index, "t": call.start, "d": duration
        }  # fmt: skip
        if call.ids:
            fields["ids"] = call.ids
        if call.signature >= 0:
            fields["sig"] = call.signature
        if call.refused:
            fields["eager"] = True
        if call.peak is not None and (peak := memory.peak()) is not None and peak > call.peak:
            fields["peak"] = peak
        if number:
            fields["thread"] = number
        if error:
            fields["error"] = error
        self._record.note("call", **fields)

    def _begin(self, function: Any, context: Any) -> Target:
        if not self._began:
            self._began = True
            try:
                environment.note_first_call(self._record)
            except Exception as error:  # noqa: BLE001
                self._record.trouble("settings", error)
        return self._callables.target(function, context)

    def _sign(self, target: Target, key: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> int:
        whole = (target.number, key)
        number = self._signatures.get(whole)
        if number is not None:
            return number
        if target.names is None or len(self._signatures) >= _MOST_SIGNATURES:
            if len(self._signatures) >= _MOST_SIGNATURES:
                self._record.trouble("signatures", RuntimeError(f"more than {_MOST_SIGNATURES}"))
            return -1
        number = self._signatures[whole] = len(self._signatures)
        found, cut = describe(target.names, args, kwargs, self._tensor)
        self._record.note("signature", id=number, inputs=found, **({"cut": True} if cut else {}))
        return number

    def _judge(self, call: Call, *, failed: bool) -> None:
        """Decide whether a call of a function that met its limit ran eagerly."""
        target = call.target
        if call.refused:
            # With fullgraph the limit is an error, and nothing runs eagerly.
            call.refused = not failed
            target.limit.reached = True
            target.eager_keys.add(call.key)
            if not self._watches_guards:
                self._watches_guards = True
                self._counts_misses = _count_misses(self._record)
        elif not failed and not call.started:
            # Without the count only inputs that were refused are known to run eagerly.
            call.refused = call.misses > 0 if self._counts_misses else call.key in target.eager_keys


def _reference(function: Any) -> Callable[[], Any]:
    try:
        return weakref.ref(function)
    except TypeError:  # the compiled callable holds it as long as our hook lives
        return lambda: function


def _forget_lost(calls: list[Call], frame: Any) -> None:
    """Drop calls that ended without their exit hook, as torch lets them when it raises itself."""
    alive = set()
    outer = frame.f_back
    while outer is not None:
        alive.add(id(outer))
        outer = outer.f_back
    calls[:] = [call for call in calls if call.frame in alive]


def _count_misses(record: Record) -> bool:
    """Count guard misses in the calls that are running: after the limit they mean eager code."""
    module: Any = sys.modules["torch"]._C._dynamo.eval_frame  # noqa: SLF001
    install = getattr(module, "set_guard_complete_hook", None)
    if install is None:  # before torch 2.8
        record.note("missing", what="eager", why="this torch does not tell guard misses")
        return False

    def completed(hit: bool) -> bool:
        if not hit:
            for call in getattr(active, "calls", ()):
                call.misses += 1
        return hit

    earlier = install(completed)
    if earlier is not None:
        # The program synchronises its ranks through this hook: it has precedence.
        install(earlier)
        record.note("missing", what="eager", why="guard collectives are in use")
        return False
    return True


def _synchronize() -> None:
    cuda: Any = getattr(sys.modules.get("torch"), "cuda", None)
    if cuda is not None and cuda.is_initialized():
        with suppress(Exception):  # the program will meet it itself
            cuda.synchronize()


def _nothing() -> None:
    return None
