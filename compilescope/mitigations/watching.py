"""A watch on a compiled model inside a service: counts, the last causes, text for Prometheus.

It is what `compilescope.watch()` is for a test, made to run for months: no file, no trace, no
diagnosis, bounded memory and about a microsecond a call. What torch says of a recompile is taken
from its own record of compiles, after the call that paid for it.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from torch._dynamo import utils
from torch._dynamo.callback import callback_handler

_log = logging.getLogger(__name__)
_here = threading.local()


@dataclass(frozen=True)
class Compile:
    """A compile that a call waited for.

    Attributes:
        at: `time.time()` at its end.
        call: The number of the call, from 0.
        seconds: What the whole call took.
        compile_id: Under which torch logs it, such as `0/3`.
        function: The code that was compiled, as `name (file:line)`; empty where torch has lost it.
        reason: The guards that failed, in torch's words; empty for a first compile.
        recompile: Whether there was a graph for this code already.
    """

    at: float
    call: int
    seconds: float
    compile_id: str
    function: str
    reason: str
    recompile: bool


class Watched:
    """A compiled model that counts; made by `watch`."""

    def __init__(
        self,
        model: Callable[..., Any],
        *,
        name: str,
        on_recompile: Callable[[Compile], None] | None,
        keep: int,
    ) -> None:
        self._model = model
        self._name = name
        self._on_recompile = on_recompile
        self._lock = threading.Lock()
        self._last: deque[Compile] = deque(maxlen=keep)
        self.calls = 0
        self.seconds = 0.0
        self.compiles = 0
        self.recompiles = 0
        self.compiling_calls = 0
        self.compiling_seconds = 0.0

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The model's result."""
        # torch.compiler.reset() forgets all listeners.
        if _on_end not in callback_handler.end_callbacks:
            callback_handler.register_end_callback(_on_end)
        outer = getattr(_here, "ended", None)
        ended: list[str] = []
        _here.ended = ended
        began = time.perf_counter()
        try:
            return self._model(*args, **kwargs)
        finally:
            seconds = time.perf_counter() - began
            _here.ended = outer
            with self._lock:
                call = self.calls
                self.calls += 1
                self.seconds += seconds
            if ended:
                if outer is not None:
                    outer.extend(ended)
                self._note(call, seconds, ended)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_model"], name)

    @property
    def last(self) -> tuple[Compile, ...]:
        """The last compiles, oldest first."""
        with self._lock:
            return tuple(self._last)

    def prometheus(self) -> str:
        """The counts in Prometheus' text format."""
        label = self._name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        with self._lock:
            rows = (
                ("calls", "Calls of the model", self.calls),
                ("call_seconds", "Seconds in calls of the model", self.seconds),
                ("compiles", "Compiles that calls waited for, recompiles included", self.compiles),
                ("recompiles", "Compiles of code that had a graph already", self.recompiles),
                ("compiling_calls", "Calls that waited for a compile", self.compiling_calls),
                ("compiling_seconds", "Seconds in calls that waited", self.compiling_seconds),
            )
        lines = []
        for name, text, value in rows:
            full = f"compilescope_{name}_total"
            lines += [f"# HELP {full} {text}.", f"# TYPE {full} counter"]
            lines.append(f'{full}{{model="{label}"}} {value}')
        return "\n".join(lines) + "\n"

    def _note(self, call: int, seconds: float, ended: list[str]) -> None:
        found = [_compile(name, call, seconds) for name in ended]
        with self._lock:
            self._last.extend(found)
            self.compiles += len(found)
            self.recompiles += sum(item.recompile for item in found)
            self.compiling_calls += 1
            self.compiling_seconds += seconds
        if self._on_recompile is None:
            return
        for item in found:
            if item.recompile:
                try:
                    self._on_recompile(item)
                except Exception:  # noqa: BLE001  a listener's fault is not the call's
                    _log.exception("on_recompile of watch raised")


def watch(
    model: Callable[..., Any],
    *,
    name: str = "",
    on_recompile: Callable[[Compile], None] | None = None,
    keep: int = 32,
) -> Watched:
    """`model`, which counts its calls and the compiles that they waited for.

    Args:
        model: What `torch.compile` returned. A model of `background_compile` never waits and so
            counts no compile here: it has `on_event`.
        name: The label of its numbers; by default the class or function.
        on_recompile: Called with each recompile, in the thread whose call waited, after that call.
        keep: How many compiles are remembered with their cause.
    """
    inner = getattr(model, "_orig_mod", model)
    name = name or getattr(inner, "__qualname__", "") or type(inner).__qualname__
    return Watched(model, name=name, on_recompile=on_recompile, keep=keep)


def _on_end(*told: Any) -> None:
    """Runs in the thread that compiled, before its call goes on."""
    ended = getattr(_here, "ended", None)
    if ended is not None:
        # torch before 2.7 does not say which.
        ended.append(str(getattr(told[0], "compile_id", "")) if told else "")


def _compile(compile_id: str, call: int, seconds: float) -> Compile:
    records: list[Any] = utils.get_compilation_metrics()
    for record in reversed(records):
        if not compile_id or record.compile_id == compile_id:
            reason = getattr(record, "recompile_reason", None) or ""
            where = f"{record.co_name} ({record.co_filename}:{record.co_firstlineno})"
            known = str(record.compile_id or "")
            return Compile(time.time(), call, seconds, known, where, reason, bool(reason))
    # torch keeps 64 records; without one, only the number within its frame tells.
    again = not compile_id.endswith("/0") and "/" in compile_id
    return Compile(time.time(), call, seconds, compile_id, "", "", again)
