"""One compile while its records come in: all its attempts, its inputs, its metrics."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from compilescope.logs import trace_metrics
from compilescope.model import Compiled, Frame, Input

if TYPE_CHECKING:
    from compilescope.logs.trace_headers import Metrics, Tensor

Outcome = Literal["compiled", "empty", "skipped", "failed", "unfinished"]

MOST_INPUTS = 500
_LOCAL = re.compile(r"\bL\[(['\"])(.*?)\1\]")
_DEVICE = re.compile(r"device\(type='(\w+)'(?:, index=(\d+))?\)")
UNKNOWN = Frame(path="", line=0)


@dataclass
class Compile:
    """The records of one compile id in one process."""

    compile_id: str
    at: float | None = None
    frame: Frame | None = None
    stack: tuple[Frame, ...] = ()
    started: bool = False
    attempt: int = 0
    graph: bool = False  # a graph was handed to the backend
    broke: bool = False
    reasons: tuple[str, ...] = ()  # why no cached graph served the call
    metrics: Metrics | None = None
    runtime: dict[str, float] = field(default_factory=dict)  # phases of the first runs
    backward: float | None = None  # seconds of the backward compile
    caches: dict[str, str] = field(default_factory=dict)
    limit: trace_metrics.Limit | None = None  # the recompile limit that refused it
    guards: tuple[str, ...] = ()
    guard_latency: float | None = None
    error: str = ""  # the traceback as logged
    inputs: tuple[Input, ...] = ()
    _tensors: dict[tuple[int, int], Tensor] = field(default_factory=dict)
    _sources: dict[str, tuple[int, int]] = field(default_factory=dict)
    seen: set[tuple[str, ...]] = field(default_factory=set)  # symbols, specializations, guards

    def begin(self, attempt: int) -> None:
        """A record of `attempt` has come; what an earlier attempt described is void."""
        if attempt > self.attempt:
            self.attempt = attempt
            self._tensors.clear()
            self._sources.clear()

    def describe(self, tensor: Tensor) -> None:
        """A tensor's metadata."""
        self._tensors[tensor.describer_id, tensor.id] = tensor

    def name(self, source: str, describer: int, number: int) -> None:
        """Where a described tensor comes from."""
        if len(self._sources) < MOST_INPUTS:
            tensor = self._tensors.get((describer, number))
            if tensor is None or not tensor.is_parameter:
                self._sources[_LOCAL.sub(r"\2", source)] = (describer, number)

    def settle(self, metrics: Metrics) -> None:
        """The forward compile has ended."""
        self.metrics = metrics
        self.limit = self._limit(metrics)
        metrics.forget_config()
        self.inputs = self._inputs()
        self._tensors.clear()
        self._sources.clear()
        self.seen.clear()
        if self.frame is None and metrics.co_name is not None:
            self.frame = Frame(
                metrics.co_filename or "", metrics.co_firstlineno or 0, metrics.co_name
            )
        elif self.frame and not self.frame.path and metrics.co_filename:
            self.frame = Frame(metrics.co_filename, self.frame.line, self.frame.function)

    def run(self, phases: dict[str, float]) -> None:
        """Seconds that the compiled graph spent on getting ready while it ran."""
        for name, seconds in phases.items():
            self.runtime[name] = round(self.runtime.get(name, 0.0) + seconds, 6)

    def _limit(self, metrics: Metrics) -> trace_metrics.Limit | None:
        if self.started:
            return None
        found = trace_metrics.limit(metrics)
        unnamed = metrics.co_name is None and metrics.fail_type is None
        if found is None and self.reasons and unnamed:
            # Metrics of a compile that never started and did not fail: only a limit does that.
            return trace_metrics.Limit("recompile_limit", None, raised=False)
        return found

    @property
    def failed(self) -> bool:
        """Whether an exception is known."""
        return bool(self.error or (self.metrics is not None and self.metrics.fail_type))

    @property
    def outcome(self) -> Outcome:
        """How the compile ended."""
        metrics = self.metrics
        if metrics is None:
            return "failed" if self.error else "unfinished"
        if metrics.fail_type:
            soft = trace_metrics.failure_kind(metrics) == "Unsupported" and self.broke
            return "skipped" if soft else "failed"
        return "compiled" if self.graph or metrics.graph_op_count else "empty"

    def event(self, process: int, at: float | None) -> Compiled | None:
        """The compile as an event; None where nothing was compiled under this id."""
        metrics = self.metrics
        if not self.started and (metrics is None or metrics.co_name is None):
            return None
        phases = trace_metrics.forward_phases(metrics) if metrics else {}
        phases |= self.runtime
        failed = self.outcome in ("failed", "skipped")
        return Compiled(
            process=process,
            compile_id=self.compile_id,
            frame=self.frame or UNKNOWN,
            at=at,
            seconds=round(sum(phases.values()), 6) if metrics else None,
            phases=phases,
            attempts=self.attempt + 1,
            restarts=trace_metrics.restarts(metrics) if metrics else (),
            wasted=trace_metrics.wasted_seconds(metrics) if metrics else 0.0,
            outcome=self.outcome,
            failure=(metrics.fail_reason or "") if metrics and failed else "",
            failure_frame=failure_frame(metrics) if metrics else None,
            recompile=bool(self.reasons),
            graph_ops=metrics.graph_op_count if metrics else None,
            guard_count=metrics.guard_count if metrics else None,
            guard_latency=self._latency(),
            caches={**(trace_metrics.cache_results(metrics) if metrics else {}), **self.caches},
            cudagraph_skip=(metrics.cudagraph_skip_reason or "") if metrics else "",
            stack=self.stack,
            inputs=self.inputs or self._inputs(),
            guards=self.guards,
        )

    def backward_event(self, process: int, at: float | None) -> Compiled:
        """The backward graph of this compile, which was compiled at a backward call."""
        return Compiled(
            process=process,
            compile_id=self.compile_id,
            frame=self.frame or UNKNOWN,
            at=at,
            seconds=self.backward,
            phases={"backward": self.backward or 0.0},
            backward=True,
            stack=self.stack,
        )

    def _latency(self) -> float | None:
        if self.metrics is not None and self.metrics.guard_latency_us is not None:
            return self.metrics.guard_latency_us / 1e6
        return self.guard_latency

    def _inputs(self) -> tuple[Input, ...]:
        found = []
        for source, key in self._sources.items():
            tensor = self._tensors.get(key)
            if tensor is not None and not tensor.is_parameter:
                found.append(_input(source, tensor))
        return tuple(found)


def failure_frame(metrics: Metrics) -> Frame | None:
    """The user's line where the compile failed."""
    if not metrics.fail_user_frame_filename:
        return None
    return Frame(metrics.fail_user_frame_filename, metrics.fail_user_frame_lineno or 0)


def _input(source: str, tensor: Tensor) -> Input:
    device = _DEVICE.match(tensor.device)
    name = tensor.device
    if device:
        name = device[1] if device[2] is None else f"{device[1]}:{device[2]}"
    return Input(
        source=source,
        type=(tensor.type or "Tensor").strip("<>").rpartition("class ")[2].strip("'"),
        shape=_numbers(tensor.size),
        stride=_numbers(tensor.stride),
        dtype=tensor.dtype,
        device=name,
        requires_grad=tensor.requires_grad,
    )


def _numbers(values: list[int | str | float | None] | None) -> tuple[int, ...] | None:
    """Sizes, None where one is symbolic: a part of a shape would be taken for the whole."""
    if values is None or not all(isinstance(value, int) for value in values):
        return None
    return tuple(value for value in values if isinstance(value, int))
