"""Forecast: keeps what was called, and at the end calls it again with inputs that never came.

The exploration runs in a forked copy of the process, so that the program's own state, output and
exit code stay what they were; with a GPU in use a fork is not possible, and it runs in the process
itself when the program is done.
"""

from __future__ import annotations

import atexit
import functools
import json
import os
import signal
import sys
import time
from typing import TYPE_CHECKING, Any

from .forecast_samples import Watched
from .torch_logs import active

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from .record import Record

VARIABLE = "COMPILESCOPE_FORECAST"
FOLDER = "forecast"  # of the raw folder, where the exploration leaves its own record
_GRACE = 60.0  # seconds beyond the budget that a compile may still take
_COVERED = 2.2  # the exploration and the smallest set of calls that covers it
_REPLAYED = ("callable", "signature", "torch", "settings")


def wanted() -> bool:
    """Whether the launcher asked for a forecast."""
    return VARIABLE in os.environ


def watch(eval_frame: ModuleType, record: Record) -> None:
    """Keep the calls of everything that torch.compile makes from here on."""
    context: Any = getattr(eval_frame, "OptimizeContext", None)
    if context is None or not _is_leading():
        return
    forecast = Forecast(record, json.loads(os.environ[VARIABLE]))
    initialise, make = context.__init__, context.__call__

    @functools.wraps(initialise)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        initialise(self, *args, **kwargs)
        try:
            # Behind the hook that records the call: it is over in the record when ours ends it.
            self.enter_exit_hooks.insert(1, forecast.hook(self))
        except Exception as error:  # noqa: BLE001
            record.trouble("forecast context", error)

    @functools.wraps(make)
    def __call__(self: Any, function: Any) -> Any:  # noqa: N807
        made = make(self, function)
        if hasattr(made, "__closure__"):
            vars(self).setdefault("_compilescope_made", []).append(made)
        return made

    context.__init__ = __init__
    context.__call__ = __call__


def _is_leading() -> bool:
    """Whether this process is the one to explore: the program's first, or its rank 0."""
    multiprocessing = sys.modules.get("multiprocessing.process")
    parent = getattr(multiprocessing, "parent_process", lambda: None)()
    return parent is None and os.environ.get("RANK", "0") == "0"


class Forecast:
    """What was called, and when to explore from it."""

    def __init__(self, record: Record, options: dict[str, Any]) -> None:
        self.record = record
        self.options = options
        self.watched: dict[int, Watched] = {}
        self.last: Any = None  # the agent's record of the call that ended last
        self._pid = os.getpid()
        self._calls = 0
        self._exploring = False
        self._done = False
        self._proof: Any = None
        self._cheap = False
        self._notes: list[tuple[str, dict[str, Any]]] = []
        self._keep_notes()
        # After torch and logging were imported: so it runs before they take themselves down.
        atexit.register(self._at_end)

    def hook(self, context: Any) -> Callable[[], Callable[[], None]]:
        """The function that torch runs before each call; it returns the one to run after."""
        getframe = sys._getframe  # noqa: SLF001

        def enter() -> Callable[[], None]:
            if self._done and not self._exploring:
                return _nothing
            if self._exploring:
                return functools.partial(self._follow, _running())
            try:
                frame: Any = getframe(1)
                if frame.f_code.co_name == "<listcomp>":
                    frame = frame.f_back
                names = frame.f_locals
                if "fn" not in names or os.getpid() != self._pid:
                    return _nothing
                watched = self._watch(names["fn"], context)
                sample = watched.sample(names["args"], names["kwargs"])
                if self.options.get("cheap"):
                    self._compile_cheaply()
                if "prove" in self.options:
                    self._warm(watched, sample)
            except Exception as error:  # noqa: BLE001
                self.record.trouble("forecast enter", error)
                return _nothing
            return functools.partial(self._leave, watched, sample, _running())

        return enter

    def _watch(self, function: Any, context: Any) -> Watched:
        held = self.watched.get(id(function))
        if held is None:
            made = _wrapper_of(function, context)
            held = self.watched[id(function)] = Watched(
                function, made, getattr(context, "_dynamic", None), self.options
            )
        return held

    def _compile_cheaply(self) -> None:
        if not self._cheap:
            from .forecast_explore import compile_cheaply

            self._cheap = True
            compile_cheaply(own=False)

    def _warm(self, watched: Watched, sample: Any) -> None:
        call = _running()
        if watched.number >= 0 or call is None:
            return
        watched.number = call.target.number
        if self._proof is None:
            from .forecast_prove import Proof

            self._proof = Proof(self, self.options["prove"])
        self._exploring = True
        try:
            self._proof.warm(watched, sample)
        finally:
            self._exploring = False
        # What the warm-up compiled is not this call's.
        call.ids, call.started = type(call.ids)(), type(call.started)()

    def _leave(self, watched: Watched, sample: Any, call: Any) -> None:
        failed = call is not None and sys.exc_info()[1] is not call.before
        if call is not None and not failed:
            watched.number = call.target.number
            watched.keep(sample, call.index, tuple(call.ids))
            if self._proof is not None:
                self._proof.called(watched, call.index, call.ids)
        self._calls += 1
        after = self.options.get("after")
        if after and self._calls >= after and not getattr(active, "calls", ()):
            self._explore()
            raise SystemExit(0)

    def _follow(self, call: Any) -> None:
        self.last = call

    def _keep_notes(self) -> None:
        write = self.record.note

        def note(record: str, **fields: Any) -> None:
            if record in _REPLAYED and not self._exploring:
                self._notes.append((record, dict(fields)))
            write(record, **fields)

        self.record.note = note  # type: ignore[method-assign]

    def _at_end(self) -> None:
        try:
            if os.getpid() == self._pid:
                self._explore()
        except Exception as error:  # noqa: BLE001
            self.record.trouble("forecast", error)

    def _explore(self) -> None:
        if self._done or not self.watched:
            return
        self._done = True
        torch: Any = sys.modules["torch"]
        why = _cannot(torch)
        if why:
            self.record.note("forecast_stopped", why=why)
        elif hasattr(os, "fork") and not _accelerated(torch):
            self._explore_in_child()
        else:
            self._explore_here()

    def _explore_in_child(self) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        _trace_handler().flush()
        child = os.fork()
        if child == 0:
            try:
                # A new thread: the pools of the parent's threads did not come along.
                from threading import Thread

                thread = Thread(target=self._run)
                thread.start()
                thread.join()
            finally:
                os._exit(0)
        deadline = time.monotonic() + _COVERED * self.options["budget"] + _GRACE
        while time.monotonic() < deadline:
            if os.waitpid(child, os.WNOHANG)[0]:
                return
            time.sleep(0.02)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        self.record.note("forecast_stopped", why="the exploration hung and was ended")

    def _explore_here(self) -> None:
        record = self.record
        handler = _trace_handler()
        held = (record.folder, record._descriptor, record._identity)  # noqa: SLF001
        write, note = record.write, record.note
        root = handler.root_dir
        handler.flush()
        record._descriptor = -1  # noqa: SLF001
        try:
            self._run()
        finally:
            if record._descriptor >= 0:  # noqa: SLF001
                os.close(record._descriptor)  # noqa: SLF001
            record.folder, record._descriptor, record._identity = held  # noqa: SLF001
            record.write, record.note = write, note  # type: ignore[method-assign]
            handler.root_dir = root

    def _run(self) -> None:
        record = self.record
        try:
            self._exploring = True
            record.folder = os.path.join(record.folder, FOLDER)
            trace = os.path.join(record.folder, "trace")
            os.makedirs(trace, exist_ok=True)
            for kind, fields in self._notes:
                record.note(kind, **({**fields, "trace": ""} if kind == "torch" else fields))
            handler = _trace_handler()
            handler.root_dir, handler.stream = trace, None
            active.calls = []
            if self._proof is not None:
                self._proof.conclude()
            else:
                from . import forecast_explore

                forecast_explore.explore(self)
            handler.flush()
        except BaseException as error:  # noqa: BLE001
            record.trouble("forecast", error)
        finally:
            self._exploring = False


def _wrapper_of(function: Any, context: Any) -> Any:
    for made in vars(context).get("_compilescope_made", ()):
        names = made.__code__.co_freevars
        if "fn" in names and made.__closure__[names.index("fn")].cell_contents is function:
            return made
    return context(function)


def _running() -> Any:
    calls = getattr(active, "calls", ())
    return calls[-1] if calls else None


def _cannot(torch: Any) -> str:
    distributed = torch.distributed
    joined = distributed.is_available() and distributed.is_initialized()
    if joined and distributed.get_world_size() > 1:
        return "one rank alone cannot call a model that talks to the others"
    return ""


def _accelerated(torch: Any) -> bool:
    return any(
        getattr(getattr(torch, name, None), "is_initialized", lambda: False)()
        for name in ("cuda", "xpu")
    )


def _trace_handler() -> Any:
    return sys.modules["torch._logging._internal"].LOG_TRACE_HANDLER


def _nothing() -> None:
    return None
