"""The diagnosis: what `diagnose` concludes from a session, and all that any report may read.

The JSON form is published in `reports/schema/`; a field is added freely, and removed or given
another meaning only with a new `DIAGNOSIS_VERSION`.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from compilescope.model import (
    CallStrip,
    DeviceMemory,
    Environment,
    Finding,
    Forecast,
    Frame,
    Gap,
    GuardFailure,
    KernelTuned,
    Process,
)

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
    before: CallStrip | None = None  # the calls without it and with it, where a trial proved it
    after: CallStrip | None = None


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
    status: Literal["compiled", "broken", "eager", "failed", "skipped", "empty"]
    compiles: int
    recompiles: int
    breaks: int
    seconds: float
    caller: Frame | None = None  # the compiled function under which it was first compiled


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
    device: tuple[float | None, ...] = ()  # seconds on the GPU, empty where not measured
    device_steady: float | None = None  # their median over the calls that `steady` is of


class Notice(msgspec.Struct, frozen=True):
    """A performance hint, cudagraph skip or warning, with what it means."""

    kind: str
    text: str
    times: int
    why: str = ""
    frame: Frame | None = None
    remedies: tuple[Remedy, ...] = ()


class CudaGraphProblem(msgspec.Struct, frozen=True):
    """Something that keeps CUDA graphs from being used, or from paying."""

    kind: Literal[
        "skipped",  # a graph was not recorded
        "rerecorded",  # recorded again: an input had moved, or memory was still in use
        "given_up",  # recorded again too often, and then no more
        "many_sizes",  # one recording for each size
        "pending_backward",  # outputs of the step before still wait for their backward pass
        "overwritten",  # an output was read after a later call had reused its memory
        "copied",  # an input is copied at each call
        "recording_failed",  # a recording raised an error
    ]
    text: str  # PyTorch's own
    why: str  # what it means
    times: int = 1
    frame: Frame | None = None  # the user's line
    inputs: tuple[str, ...] = ()  # that had moved, by PyTorch's names
    compile_ids: tuple[str, ...] = ()
    remedies: tuple[Remedy, ...] = ()


class CudaGraph(msgspec.Struct, frozen=True):
    """What CUDA graphs came to for one compiled graph; None where the log does not tell."""

    compile_id: str
    function: Frame | None
    sizes: tuple[str, ...] = ()  # distinct variable sizes, each recorded on its own
    recorded: int | None = None
    rerecorded: int | None = None
    warm_ups: int | None = None  # runs before a recording, without a CUDA graph


class CudaGraphs(msgspec.Struct, frozen=True):
    """CUDA graphs in this run: one panel."""

    status: Literal["recorded", "partly", "skipped", "off", "failed"]
    summary: str  # one sentence
    graphs: tuple[CudaGraph, ...] = ()
    problems: tuple[CudaGraphProblem, ...] = ()  # those to act on first
    recorded: int | None = None  # of all graphs; None where the log does not tell
    rerecorded: int | None = None
    warm_ups: int | None = None
    pools: tuple[int, ...] = ()  # bytes reserved by each pool, empty where unknown
    folded: int = 0  # lines of the log that say only that CUDA graphs are off


class KernelCause(msgspec.Struct, frozen=True):
    """Why Triton compiled a kernel again."""

    argument: str  # or an option such as num_warps; "" where nothing is known to have changed
    kind: Literal[
        "one",
        "divisible",
        "bool",  # Triton up to 3.2 takes False as a multiple of 16
        "width",
        "number",  # an integer in one launch, a float in another
        "dtype",
        "none",  # None in one launch, a value in another
        "block",  # of a tensor descriptor
        "length",  # of a tuple
        "constexpr",
        "option",
        "alignment",
        "unknown",
        "other",
    ]
    why: str
    times: int  # compiles that it brought about
    seconds: float
    values: tuple[str, ...] = ()
    remedies: tuple[Remedy, ...] = ()


class Kernel(msgspec.Struct, frozen=True):
    """One Triton kernel, the program's own or inductor's."""

    name: str
    origin: Literal["program", "library", "inductor", "unknown"]
    frame: Frame | None = None  # its first line
    launched: Frame | None = None  # the user's line that launched it first
    compiles: int = 0  # cache misses
    cache_hits: int = 0
    seconds: float = 0.0  # compiling
    causes: tuple[KernelCause, ...] = ()  # why it was compiled again, the dearest first
    tuned: tuple[KernelTuned, ...] = ()
    registers: int | None = None  # a thread, the most of any specialisation
    spills: int | None = None
    shared_bytes: int | None = None
    why: str = ""  # what is wrong with it, "" where nothing is
    remedies: tuple[Remedy, ...] = ()  # for spills and slow tuning
    interpreted: int = 0  # kernels that a GPU would have compiled; here Python ran them


class GraphMemory(msgspec.Struct, frozen=True):
    """Device memory at its highest in the calls of one compiled graph."""

    compile_id: str
    frame: Frame | None
    peak_bytes: int
    call: int | None = None  # the call that reached it
    process: int = 0


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
    by_inductor: bool = False  # the compiler fixed it: the code had left it variable


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
    # Of that, in the process that lost most; None where one process alone recompiled.
    slowest: float | None = None


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
    cudagraphs: CudaGraphs | None = None  # None where nothing was heard of them
    kernels: tuple[Kernel, ...] = ()
    memory: tuple[GraphMemory, ...] = ()
    devices: tuple[DeviceMemory, ...] = ()
