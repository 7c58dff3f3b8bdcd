"""`background_compile`: calls are answered at once; what they lacked is compiled beside them."""

from __future__ import annotations

import atexit
import ctypes
import functools
import logging
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

import torch

from compilescope.errors import UsageError
from compilescope.mitigations.call_state import CallState
from compilescope.mitigations.compiled_path import MISS, CompiledPath, Path
from compilescope.mitigations.copies import own_copy
from compilescope.mitigations.events import Event
from compilescope.mitigations.misses import Miss, Pending, kind_of
from compilescope.mitigations.streams import moment, stream_for
from compilescope.mitigations.warming import inputs_of
from compilescope.mitigations.yielding import Yielding, import_compiler, settle_thread

_log = logging.getLogger(__name__)
_MOST_EVENTS = 256
_AT_EXIT = 5.0  # seconds to wait for a compile that must stop
_GRAPHS_ON_A_THREAD = ("reduce-overhead", "max-autotune")


class _Stop(BaseException):
    """Ends a compile, which catches every Exception."""


class BackgroundCompiled:
    """A model whose calls never wait for the compiler; made by `background_compile`."""

    def __init__(
        self,
        model: Callable[..., Any],
        path: Path,
        *,
        exact: bool,
        max_pending: int,
        on_event: Callable[[Event], None] | None,
        yielding: Yielding,
    ) -> None:
        self._model = model
        self._path = path
        self._exact = exact
        self._on_event = on_event
        self._yielding = yielding
        self._pending = Pending(max_pending)
        self._events: deque[Event] = deque(maxlen=_MOST_EVENTS)
        self._compiling = False
        self._thread = threading.Thread(
            target=_work, args=(weakref.ref(self), self._pending), daemon=True,
            name="compilescope-background-compile",
        )  # fmt: skip
        self._thread.start()
        weakref.finalize(self, self._pending.close).atexit = False
        self._at_exit = functools.partial(_call, weakref.WeakMethod(self._leave))
        atexit.register(self._at_exit)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The model's result: from a compiled graph where the guards of one hold, else eagerly."""
        answer = self._path.call(args, kwargs)
        if answer is MISS:
            # Before the model runs, which may change its inputs.
            self._hand_over(args, kwargs)
            return self._model(*args, **kwargs)
        return answer

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_model"], name)

    @property
    def events(self) -> tuple[Event, ...]:
        """The last 256 events, oldest first."""
        return tuple(self._events)

    @property
    def errors(self) -> tuple[BaseException, ...]:
        """The exceptions among them."""
        return tuple(event.error for event in self._events if event.error is not None)

    @property
    def pending(self) -> int:
        """Misses that wait or are being compiled."""
        return len(self._pending)

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until nothing is left to compile; False when the time was not enough."""
        return self._pending.wait(timeout)

    def warm(self, topologies: Iterable[Any]) -> None:
        """Compile for inputs beforehand, in the background; each as in `warm_up`."""
        for item in topologies:
            self._hand_over(*inputs_of(item))

    def close(self, timeout: float | None = None) -> bool:
        """Compile nothing more and join the thread; calls go on with what is compiled.

        Args:
            timeout: Seconds to wait at most for the compile that runs.

        Returns:
            Whether the thread has ended.
        """
        atexit.unregister(self._at_exit)
        self._pending.close()
        self._path.close()
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def __enter__(self) -> BackgroundCompiled:  # noqa: PYI034  typing has Self from 3.11
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _leave(self) -> None:
        """At exit a compile is not waited for: it is asked to stop at its next line of Python."""
        self._pending.close()
        self._path.close()
        until = time.monotonic() + _AT_EXIT
        while self._thread.is_alive() and time.monotonic() < until:
            if self._compiling:
                _interrupt(self._thread)
            self._thread.join(0.1)

    def _hand_over(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        state = CallState.current()
        kind = kind_of(args, kwargs, state, exact=self._exact)
        if not self._pending.wants(kind):
            return
        try:
            inputs = own_copy(args, kwargs)
        except Exception as error:  # noqa: BLE001  the call must be answered all the same
            self.tell("failed", args, error=error, detail="the inputs cannot be copied")
            return
        taken, dropped = self._pending.add(Miss(kind, inputs, state, moment()))
        if taken:
            self.tell("queued", args)
        if dropped is not None:
            self.tell("dropped", dropped.inputs[0])

    def compile_one(self, miss: Miss) -> None:
        """Serve what `miss` lacked; called in the background."""
        began = time.perf_counter()
        args = miss.inputs[0]
        refused = ""
        try:
            self._compiling = True
            with stream_for(miss):
                if self._path.has(miss.inputs, miss.state):
                    return
                self._path.compile(miss.inputs, miss.state)
                served = self._path.has(miss.inputs, miss.state)
            took = time.perf_counter() - began
            refused = "" if served else "no graph takes these inputs"
            self.tell("compiled" if served else "unserved", args, seconds=took)
        except Exception as error:  # noqa: BLE001  it is kept for whoever asks
            refused = str(error) or type(error).__name__
            took = time.perf_counter() - began
            # What fails once all ends, such as a pool that is closed already, is no fault.
            if not self._pending.closed:
                self.tell("failed", args, error=error, seconds=took, detail=refused)
        finally:
            self._compiling = False
            self._tell_notices()
            self._pending.done(refused)

    def _tell_notices(self) -> None:
        notices = getattr(self._path, "notices", None)
        while notices:
            self.tell("worker", detail=notices.popleft())

    def tell(self, what: str, args: tuple[Any, ...] = (), **more: Any) -> None:
        """Keep an event and hand it to `on_event`, whose exceptions are logged."""
        shapes = tuple(tuple(item.shape) for item in args if isinstance(item, torch.Tensor))
        event = Event(what, time.time(), shapes=shapes, **more)
        self._events.append(event)
        if self._on_event is not None:
            try:
                self._on_event(event)
            except Exception:  # noqa: BLE001  a listener's fault is not the call's
                _log.exception("on_event of background_compile raised")


def background_compile(  # noqa: PLR0913  torch.compile's own, and what concerns the background
    model: Callable[..., Any],
    *,
    fullgraph: bool = True,
    dynamic: bool | None = None,
    mode: str | None = None,
    backend: str | Callable[..., Any] = "inductor",
    worker: str = "thread",
    warm: Iterable[Any] = (),
    max_pending: int = 4,
    on_event: Callable[[Event], None] | None = None,
    yielding: Yielding | None = None,
) -> BackgroundCompiled:
    """`model` such that no call waits for the compiler, the first included.

    A call whose inputs fit the guards of a compiled graph runs that graph. Any other call is
    answered by the eager model at once, and a copy of its inputs is compiled for in one background
    thread. It is for inference: a backward pass compiles when it first runs. Making it takes the
    seconds in which inductor is imported, so that no call waits for that.

    What one process cannot keep apart while a compile runs in it: Python code runs on one thread at
    a time (see `Yielding`), `torch.compiler.is_compiling()` is true in all threads, and Dynamo puts
    back the state of the random generators that it found when it began. Where any of these matters,
    use `worker="process"`.

    Args:
        model: A module or function that is not compiled itself.
        fullgraph: As in torch.compile. With graph breaks a miss in a later part counts only where
            the first part misses too, and compiling runs the model for real on the copies.
        dynamic: As in torch.compile.
        mode: As in torch.compile, but no mode with CUDA graphs: those belong to one thread.
        backend: As in torch.compile.
        worker: Where to compile. "thread": in a thread of this process, which shares the
            interpreter lock with those that serve. "process": in a process of its own, from which
            this one loads the finished graph and its guards; the model must be picklable, the
            backend inductor, and a program's main module guarded by `if __name__ == "__main__":`,
            as for `multiprocessing`. The worker's copy of the model has weights of the same sizes,
            on the same device.
        warm: Inputs to compile for from the start, each as in `warm_up`.
        max_pending: How many misses wait at most; the oldest is given up for a newer one.
        on_event: Called with each `Event`, from the thread where it happened.
        yielding: How the compile gives way to the serving threads.

    Raises:
        UsageError: the model or a part of it is compiled already, the mode uses CUDA graphs, or
            the worker cannot be a process here.
    """
    _refuse_compiled(model)
    if mode in _GRAPHS_ON_A_THREAD:
        raise UsageError(
            f"background_compile cannot use mode={mode!r}",
            cause="its CUDA graphs can only run in the thread that recorded them",
            hint='mode="max-autotune-no-cudagraphs", or none',
        )
    how = yielding or Yielding()
    path = _path(
        worker, model, backend, fullgraph=fullgraph, dynamic=dynamic, mode=mode, yielding=how
    )
    if backend == "inductor":
        # While a worker imports torch.
        import_compiler()
    made = BackgroundCompiled(
        model,
        path,
        exact=dynamic is False,
        max_pending=max(max_pending, 1),
        on_event=on_event,
        yielding=how,
    )
    made.warm(warm)
    return made


def _path(
    worker: str, model: Callable[..., Any], backend: str | Callable[..., Any], **given: Any
) -> Path:
    if worker == "thread":
        return CompiledPath(model, backend=backend, **given)
    if worker != "process":
        raise UsageError(f"there is no worker {worker!r}", hint='"thread" or "process"')
    if backend != "inductor":
        raise UsageError(f'worker="process" is for inductor, not {backend!r}')
    from compilescope.mitigations.package_path import PackagePath

    return PackagePath(model, **given)


def _refuse_compiled(model: Any) -> None:
    parts = model.named_modules() if isinstance(model, torch.nn.Module) else [("", model)]
    for name, part in parts:
        optimized = hasattr(part, "_torchdynamo_orig_callable") or hasattr(part, "_orig_mod")
        if optimized or getattr(part, "_compiled_call_impl", None) is not None:
            raise UsageError(
                f"{name or 'the model'} is compiled already",
                cause="its own calls would compile in the thread that serves",
                hint="give background_compile the model as it was before torch.compile",
            )


def _work(owner: weakref.ref[BackgroundCompiled], pending: Pending) -> None:
    """The thread: it holds the owner only while it compiles, so that the owner can be freed."""
    found = owner()
    if found is not None:
        settle_thread(found._yielding)  # noqa: SLF001
    del found
    try:
        while (miss := pending.take()) is not None:
            found = owner()
            if found is None:
                return
            found.compile_one(miss)
            del found, miss
    except _Stop:
        return


def _interrupt(thread: threading.Thread) -> None:
    if thread.ident is not None:
        raising = ctypes.pythonapi.PyThreadState_SetAsyncExc
        raising(ctypes.c_ulong(thread.ident), ctypes.py_object(_Stop))


def _call(method: weakref.WeakMethod[Any]) -> None:
    found = method()
    if found is not None:
        found()
