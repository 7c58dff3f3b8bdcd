"""The diagnosis: what `diagnose` concludes from a session, and all that any report may read.

The JSON form is published in `reports/schema/`; a field is added freely, and removed or given
another meaning only with a new `DIAGNOSIS_VERSION`.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from compilescope.model import Environment, Finding, Forecast, Frame, Gap, GuardFailure, Process

DIAGNOSIS_VERSION = 1


class Remedy(msgspec.Struct, frozen=True):
    """Something to do about a cause, valid for the torch that was seen."""

    id: str  # "mark_dynamic", "use_duck_shape", ...
    text: str
    snippet: str = ""  # code with the user's own names
    since: str = ""  # first torch that has it, "" for any
    until: str = ""  # last torch that has it, "" for still there
    price: str = ""
    unsafe: bool = False
    limits: str = ""  # when it does not help
    proof: str = "not verified"


class Cause(msgspec.Struct, frozen=True):
    """One reason for recompilations: kind x source x user line."""

    id: str  # stable across runs: a hash of kind, source, function, never of a line number
    kind: str
    source: str
    dimension: int | None
    frame: Frame
    why: str
    calls: tuple[int, ...] = ()  # calls that recompiled, in order; empty where calls are unknown
    compile_ids: tuple[str, ...] = ()
    times: int = 0  # recompiles with this cause
    seconds_lost: float = 0.0
    values: tuple[str, ...] = ()  # observed, in order of appearance, distinct
    also: tuple[str, ...] = ()  # what changed at the same call besides
    function: Frame | None = None  # the compiled function that recompiled
    remedies: tuple[Remedy, ...] = ()
    callables: tuple[str, ...] = ()  # the compiled callables whose calls these are


class Recompile(msgspec.Struct, frozen=True):
    """One recompilation."""

    compile_id: str
    frame: Frame  # the compiled function
    call: int | None = None
    seconds: float | None = None
    seconds_lost: float = 0.0
    cause: str = ""  # Cause.id
    nearest: str = ""  # compile id of the graph that came closest
    refused: bool = False
    process: int = 0
    reasons: tuple[GuardFailure, ...] = ()
    callable: int | None = None  # index into Session.callables
    at: float | None = None  # when the graphs had rejected the call


class Break(msgspec.Struct, frozen=True):
    """Graph breaks of one kind at one line."""

    id: str
    gb_id: str
    type: str
    frame: Frame
    times: int
    whole_frame: bool
    why: str
    stack: tuple[Frame, ...] = ()
    explanation: str = ""
    hints: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()  # compiled functions that met it
    compile_ids: tuple[str, ...] = ()
    seconds: float = 0.0  # compile time of the continuations that it made necessary
    remedies: tuple[Remedy, ...] = ()


class Fallback(msgspec.Struct, frozen=True):
    """A function that runs eagerly since it reached its recompile limit."""

    frame: Frame
    limit: int | None
    limit_name: str
    call: int | None = None  # the first call that ran eagerly
    calls_eager: int = 0
    causes: tuple[str, ...] = ()  # Cause ids that used up the limit
    process: int = 0
    why: str = ""


class Compile(msgspec.Struct, frozen=True):
    """One compile, for the tables."""

    compile_id: str
    frame: Frame
    seconds: float | None
    phases: dict[str, float]
    outcome: str
    recompile: bool
    call: int | None = None
    wasted: float = 0.0
    attempts: int = 1
    graph_ops: int | None = None
    guard_count: int | None = None
    process: int = 0
    callable: int | None = None  # index into Session.callables
    at: float | None = None  # when it began


class FunctionSummary(msgspec.Struct, frozen=True):
    """One compiled function with its continuations after graph breaks."""

    frame: Frame
    status: Literal["compiled", "broken", "eager", "failed", "skipped"]
    compiles: int
    recompiles: int
    breaks: int
    seconds: float


class CallSeries(msgspec.Struct, frozen=True):
    """The calls of one compiled callable, as parallel sequences."""

    name: str
    process: int
    seconds: tuple[float, ...]
    compiled: tuple[int, ...]  # indexes of calls that paid for a compile
    eager: tuple[int, ...]  # indexes of calls that ran eagerly
    steady: float | None  # median seconds of a call that compiled nothing
    steady_from: int | None = None  # first call after the last compile
    callable: int | None = None  # index into Session.callables
    at: tuple[float, ...] = ()  # when each call began


class Notice(msgspec.Struct, frozen=True):
    """A performance hint, cudagraph skip or warning, with what it means."""

    kind: str
    text: str
    times: int
    why: str = ""
    frame: Frame | None = None
    remedies: tuple[Remedy, ...] = ()


class SymbolGuard(msgspec.Struct, frozen=True):
    """A condition on a symbolic size that a line of code brought about."""

    expression: str  # in the user's names
    frame: Frame


class SymbolicSize(msgspec.Struct, frozen=True):
    """A size or number that a function's graphs keep variable."""

    name: str  # PyTorch's own, "s77"
    source: str  # as the user would write it, `x.shape[0]`; "" for one that is computed
    values: tuple[str, ...]  # met at the compiles
    range: str  # in words, "2 and more"
    backed: bool  # False where no example value stands behind it
    frame: Frame | None  # the line that it was born for
    function: Frame | None
    compile_ids: tuple[str, ...]
    guards: tuple[SymbolGuard, ...] = ()
    compiler_guards: int = 0  # distinct ones that no line of code asked for, as on index width
    constant: str = ""  # the value that it was fixed to, "" where it stayed variable
    constant_frame: Frame | None = None


class Counts(msgspec.Struct, frozen=True):
    """How often; `recompiles` includes one that the recompile limit refused."""

    calls: int = 0
    compiles: int = 0
    recompiles: int = 0
    graph_breaks: int = 0
    fallbacks: int = 0
    unknown: int = 0  # guard failures whose text was not understood


class Seconds(msgspec.Struct, frozen=True):
    """How long: the whole program, all compiles, and what recompiles cost."""

    total: float | None = None
    compiling: float = 0.0
    lost: float = 0.0  # to recompilations: what the calls cost beyond a steady call


class Diagnosis(msgspec.Struct, frozen=True):
    """Everything that a report shows."""

    verdict: str
    status: Literal["clean", "warming", "recompiles", "fallback", "breaks", "nothing", "failed"]
    counts: Counts
    seconds: Seconds
    causes: tuple[Cause, ...]
    recompiles: tuple[Recompile, ...]
    graph_breaks: tuple[Break, ...]
    environment: Environment
    incomplete: tuple[Gap, ...]
    version: int = DIAGNOSIS_VERSION
    name: str = ""
    created: str = ""
    command: tuple[str, ...] = ()
    ended: str = ""  # "exited with code 0", "killed by SIGKILL", ...
    recovery: str = ""  # what fixing the first causes would give back
    fallbacks: tuple[Fallback, ...] = ()
    compiles: tuple[Compile, ...] = ()
    functions: tuple[FunctionSummary, ...] = ()
    calls: tuple[CallSeries, ...] = ()
    notices: tuple[Notice, ...] = ()
    errors: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    processes: tuple[Process, ...] = ()
    sources: dict[str, dict[int, str]] = {}
    symbols: tuple[SymbolicSize, ...] = ()
    forecast: Forecast | None = None
