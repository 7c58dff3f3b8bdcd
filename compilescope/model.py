"""The session: everything that was observed about one run, as plain immutable values.

Every source (`lint`, `probe`, `logs`) produces these types and every reader consumes them; nothing
here computes. Times are Unix seconds, durations are seconds.
"""

from __future__ import annotations

from typing import Literal

import msgspec

SESSION_VERSION: Literal[1] = 1


class Frame(msgspec.Struct, frozen=True, omit_defaults=True):
    """A place in somebody's Python code."""

    path: str
    line: int
    function: str = ""
    code: str = ""  # the source line, where the source of the event carried it


class GuardFailure(msgspec.Struct, frozen=True, omit_defaults=True):
    """Why one cache entry could not serve a call: the first of its guards that failed."""

    kind: str  # "tensor.size", "shape.duck", ... or "unknown"
    raw: str
    source: str = ""  # as the user would write it: `x`, `model.layers[0].scale`
    dimension: int | None = None
    required: str = ""  # what the cached graph demands
    observed: str = ""  # what the call brought, "" where the log does not say
    entry: str = ""  # compile id of the cache entry that rejected the call
    frame: Frame | None = None  # the user's line that made the guard
    stack: tuple[Frame, ...] = ()
    hint: str = ""  # PyTorch's own


class Input(msgspec.Struct, frozen=True, omit_defaults=True):
    """A tensor (or plain value) that went into a compile or a call."""

    source: str
    type: str = "Tensor"
    shape: tuple[int, ...] | None = None
    stride: tuple[int, ...] | None = None
    dtype: str = ""
    device: str = ""
    requires_grad: bool = False
    value: str = ""  # repr of a plain Python value


class Compiled(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="event", tag="compiled"):
    """One compile of one frame, all its attempts together."""

    process: int
    compile_id: str  # "0/1", "!0/1/0" under compiled autograd; never with the attempt
    frame: Frame  # the compiled function, at its first line
    at: float | None = None
    seconds: float | None = None
    phases: dict[str, float] = {}  # "dynamo", "aot", "inductor", "codegen", ... to seconds
    attempts: int = 1
    restarts: tuple[str, ...] = ()  # why tracing began again
    wasted: float = 0.0  # seconds before the last restart
    outcome: Literal["compiled", "empty", "skipped", "failed", "unfinished"] = "compiled"
    failure: str = ""
    failure_frame: Frame | None = None
    recompile: bool = False  # False for a first compile and for a per-instance variant
    backward: bool = False
    graph_ops: int | None = None
    guard_count: int | None = None
    guard_latency: float | None = None
    caches: dict[str, str] = {}  # "fx_graph": "hit" | "miss" | "bypass"
    cudagraph_skip: str = ""
    stack: tuple[Frame, ...] = ()  # the user's callers, outermost first
    inputs: tuple[Input, ...] = ()  # the concrete inputs it was compiled for
    guards: tuple[str, ...] = ()  # leaf guards, for the explanation of later recompiles


class Recompiled(
    msgspec.Struct, frozen=True, omit_defaults=True, tag_field="event", tag="recompiled"
):
    """A call that no cached graph could serve; one reason for each entry that rejected it."""

    process: int
    compile_id: str
    frame: Frame
    at: float | None = None
    reasons: tuple[GuardFailure, ...] = ()
    refused: bool = False  # the recompile limit stopped it: the call ran eagerly


class GraphBroke(
    msgspec.Struct, frozen=True, omit_defaults=True, tag_field="event", tag="graph_broke"
):
    """The compiler stopped capturing at the user's line."""

    process: int
    compile_id: str
    type: str  # PyTorch's own name of the kind, "Data-dependent branching"
    frame: Frame  # the last frame of the user's own code
    at: float | None = None
    gb_id: str = ""
    reason: str = ""  # the text as logged
    explanation: str = ""
    hints: tuple[str, ...] = ()
    context: str = ""  # PyTorch's developer debug context
    stack: tuple[Frame, ...] = ()  # outermost first
    whole_frame: bool = False  # the function runs eagerly, nothing was kept
    duplicate: bool = False  # logged again for a break that was logged before
    cause: str = ""  # for a chained break: the type that came first


class FellBack(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="event", tag="fell_back"):
    """A function reached its recompile limit: new inputs run eagerly from here on."""

    process: int
    frame: Frame
    at: float | None = None
    compile_id: str = ""
    limit: int | None = None
    limit_name: str = "recompile_limit"
    reasons: tuple[GuardFailure, ...] = ()


class Errored(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="event", tag="errored"):
    """A compile or a compiled call that raised."""

    process: int
    text: str
    kind: str = ""  # exception class or PyTorch's name
    compile_id: str = ""
    at: float | None = None
    frame: Frame | None = None
    stack: tuple[Frame, ...] = ()


class Symbol(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="event", tag="symbol"):
    """A symbolic size or number was born."""

    process: int
    compile_id: str
    name: str
    source: str = ""
    value: str = ""
    range: str = ""
    backed: bool = True
    frame: Frame | None = None


class Specialized(
    msgspec.Struct, frozen=True, omit_defaults=True, tag_field="event", tag="specialized"
):
    """A symbolic size became a constant."""

    process: int
    compile_id: str
    symbol: str
    sources: tuple[str, ...] = ()
    value: str = ""
    reason: str = ""
    frame: Frame | None = None
    by_inductor: bool = False  # by the compiler, after the user's code had left it open


class Guarded(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="event", tag="guarded"):
    """An expression over symbols became a guard."""

    process: int
    compile_id: str
    expression: str
    frame: Frame | None = None


class Warned(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="event", tag="warned"):
    """A message about performance or behaviour; repeated texts are one event."""

    process: int
    kind: str  # "perf_hint", "cudagraph_skip", "cudagraph", "tf32", "skip", ...
    text: str
    times: int = 1
    at: float | None = None
    compile_id: str = ""
    frame: Frame | None = None


class Called(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="event", tag="called"):
    """One call of a compiled callable from Python."""

    process: int
    callable: int  # index into Session.callables
    index: int  # 0 for the first call of this callable in this process
    at: float
    seconds: float
    compiles: tuple[str, ...] = ()  # compile ids that this call paid for
    signature: int | None = None  # index into Session.signatures, where it changed
    eager: bool = False  # ran eagerly: the recompile limit was reached
    thread: int = 0
    error: str = ""  # exception class it raised
    device_seconds: float | None = None  # on the GPU, from its first work for this call to its last
    peak_bytes: int | None = None  # device memory at its highest, where this call set a new height


class CudaGraphed(
    msgspec.Struct, frozen=True, omit_defaults=True, tag_field="event", tag="cuda_graphed"
):
    """A compiled graph on its way into a CUDA graph; equal ones are one event."""

    process: int
    what: Literal["set_up", "warmed_up", "recorded", "rerecorded", "ran_eagerly"]
    compile_id: str = ""
    function: str = ""  # PyTorch's own name of the part, "partition_0"
    mode: str = ""  # "forward", "backward", "inference"
    sizes: str = ""  # the sizes that it was set up for, "" where none is variable
    reason: str = ""  # why it was recorded again
    inputs: tuple[str, ...] = ()  # PyTorch's names of the inputs that had moved
    frame: Frame | None = None  # the user's line that reads such an input
    at: float | None = None
    times: int = 1


class KernelArgument(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a Triton kernel was compiled for, of one of its arguments."""

    name: str
    type: str  # "i32", "*fp32", "constexpr"
    value: str = ""  # of a constant: a constexpr, or a number that Triton took as one
    divisible: bool = False  # by 16


class KernelCompiled(
    msgspec.Struct, frozen=True, omit_defaults=True, tag_field="event", tag="kernel_compiled"
):
    """A Triton kernel compiled for one specialisation, or loaded from Triton's cache."""

    process: int
    name: str
    origin: Literal["program", "library", "inductor", "unknown"] = "unknown"
    frame: Frame | None = None  # the kernel's first line
    launched: Frame | None = None  # the user's line that launched it
    at: float | None = None
    seconds: float | None = None
    cache: Literal["hit", "miss", ""] = ""
    arguments: tuple[KernelArgument, ...] = ()
    options: dict[str, str] = {}  # "num_warps", "num_stages", ... that may differ between compiles
    registers: int | None = None  # a thread
    spills: int | None = None  # registers that went to memory, a thread
    shared_bytes: int | None = None
    compiles: tuple[str, ...] = ()  # compile ids of the compiled calls that were running
    tuning: bool = False  # compiled only to be timed among others
    interpreted: bool = False  # not compiled: TRITON_INTERPRET=1 ran it in Python


class KernelTuned(
    msgspec.Struct, frozen=True, omit_defaults=True, tag_field="event", tag="kernel_tuned"
):
    """Configurations of a Triton kernel timed against each other."""

    process: int
    name: str
    origin: Literal["program", "library", "inductor", "unknown"] = "unknown"
    frame: Frame | None = None
    launched: Frame | None = None
    at: float | None = None
    seconds: float | None = None
    key: str = ""  # the values that choose the configuration
    trials: int = 0
    failed: int = 0  # that did not run: out of registers or shared memory
    winner: str = ""
    best_seconds: float | None = None  # of one run of the winner
    cache: Literal["hit", "miss", ""] = ""


Event = (
    Compiled
    | Recompiled
    | GraphBroke
    | FellBack
    | Errored
    | Symbol
    | Specialized
    | Guarded
    | Warned
    | Called
    | CudaGraphed
    | KernelCompiled
    | KernelTuned
)


class Callable(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something the program gave to torch.compile."""

    process: int
    name: str
    frame: Frame | None = None
    kind: Literal["function", "module"] = "function"
    options: dict[str, str] = {}  # backend, dynamic, fullgraph, mode, as given
    variables: tuple[str, ...] = ()  # local names that are no arguments


class Signature(msgspec.Struct, frozen=True, omit_defaults=True):
    """The inputs of a call."""

    inputs: tuple[Input, ...]


class Process(msgspec.Struct, frozen=True, omit_defaults=True):
    """One operating-system process of the run."""

    pid: int
    rank: int | None = None
    parent: int | None = None
    command: tuple[str, ...] = ()
    started: float | None = None
    ended: float | None = None
    how: Literal["exited", "failed", "killed", "interrupted", "unfinished", "unknown"] = "unknown"
    code: int | None = None
    signal: str = ""
    error: str = ""  # the exception's class and message


class DeviceMemory(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one process held of a device's memory, in bytes."""

    process: int
    device: int
    peak_allocated: int | None = None
    peak_reserved: int | None = None
    total: int | None = None
    pools: tuple[int, ...] = ()  # reserved by each private pool of CUDA graphs, at the end


class Gap(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something that is missing, unreadable or unknown, and how much of it."""

    what: str
    count: int = 1
    share: float | None = None  # of all records of its sort, 0 to 1
    detail: str = ""


class GraphBreakKind(msgspec.Struct, frozen=True, omit_defaults=True):
    """An entry of the graph-break registry that ships with the installed torch."""

    gb_id: str
    type: str
    explanation: str = ""
    hints: tuple[str, ...] = ()


class Environment(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the run ran on."""

    torch: str = ""  # "2.13.0+cpu", "" where unknown
    python: str = ""
    platform: str = ""
    cuda: str = ""
    triton: str = ""
    devices: tuple[str, ...] = ()
    cpu_count: int | None = None
    packages: dict[str, str] = {}
    variables: dict[str, str] = {}  # allow-listed environment variables that were set
    config: dict[str, str] = {}  # "dynamo.recompile_limit": "8", as JSON text


class Finding(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something `lint` found in source."""

    path: str
    line: int
    column: int  # 1-based, in characters
    end_line: int
    end_column: int
    code: str  # "CS101"
    name: str  # "data-dependent-branch"
    message: str
    function: str = ""
    severity: str = "split"
    certainty: str = "certain"
    url: str = ""
    reason: str = ""  # what the compiler does here, one or two sentences
    help: str = ""  # what to write instead, one line
    fix: Literal["", "safe", "unsafe"] = ""  # whether the rule can make the edit here
    gb_ids: tuple[str, ...] = ()
    cell: int | None = None  # of a notebook, from 1; lines then count from the cell's first
    times: int | None = None  # how often a run met it, None where no run was joined
    seconds: float | None = None  # what it cost in that run


ForecastKind = Literal["size", "layout", "contents", "value", "dtype", "mode", "structure", "state"]


class ForecastChange(msgspec.Struct, frozen=True, omit_defaults=True):
    """A size or value that sets an input apart from the ordinary ones."""

    source: str
    dimension: int | None  # None where it is no size
    value: str
    kind: ForecastKind = "size"
    held: str = ""  # what it was in the call that the input was built from


ForecastKey = int | str | None | tuple[int | str | None, ...]


class ForecastLeaf(msgspec.Struct, frozen=True, omit_defaults=True):
    """A tensor, container or plain value of an input, by where the arguments hold it."""

    keys: tuple[ForecastKey, ...]  # "args" or "kwargs", then indexes, keys, ".attributes"
    shape: tuple[int, ...] | None = None
    strides: tuple[int, ...] | None = None
    dtype: str = ""
    value: str = ""  # as Python writes it, for a plain value
    requires_grad: bool = False
    fill: str = ""  # other contents than the sample's: "zeros", "ones", "drawn 1"
    length: int | None = None  # of a list or tuple
    names: tuple[int | str, ...] | None = None  # the keys of a dict, in order


class ForecastCall(msgspec.Struct, frozen=True, omit_defaults=True):
    """An input: one that would compile another graph, or one that warm-up needs before it.

    "assumed" ones are of a kind that has not come; they are not counted.
    """

    callable: int  # index into Session.callables
    what: Literal["graph", "general", "observed", "assumed"]
    changes: tuple[ForecastChange, ...] = ()
    layout: str = ""  # in words, where it is unusual
    inputs: tuple[Input, ...] = ()
    leaves: tuple[ForecastLeaf, ...] = ()
    grad: bool = True
    inference: bool = False
    training: bool | None = None
    autocast: tuple[tuple[str, str], ...] = ()  # device and dtype
    default_dtype: str = ""
    call: int | None = None  # the call of the program that it is, or was built from
    graphs: int = 0  # that this input compiles: one a frame
    frames: tuple[Frame, ...] = ()
    causes: tuple[str, ...] = ()  # ForecastCause.id of everything that is special about it
    seconds: float | None = None  # what it would cost, from the compiles seen
    error: str = ""  # the compiler's, where the program itself takes the input
    repeat: bool = False  # an input that came before: state that moved on compiles again
    unbounded: bool = False  # and it does so at each further call
    covered: bool | None = None  # by the warm-up, proved by calling it afterwards; None: not tried


class ForecastCause(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something that sets inputs apart, and why a graph that exists would not take them."""

    id: str
    kind: str
    source: str
    dimension: int | None
    frame: Frame
    why: str
    values: tuple[str, ...] = ()
    alone: int = 0  # inputs that have nothing else special
    inputs: int = 0  # inputs that it takes part in: without it they need no graph
    seconds: float | None = None  # of these
    smallest: int | None = None  # index into Forecast.calls
    remedy: str = ""  # what to do first
    snippet: str = ""
    happened: int = 0  # recompilations of the run itself with the same cause
    covered: bool | None = None  # all its inputs are, by the warm-up; None: not tried
    special: str = ""  # what of the input varies, in words, where the guard is on another value


class ForecastFrame(msgspec.Struct, frozen=True, omit_defaults=True):
    """A compiled function against its recompile limit."""

    frame: Frame
    now: int  # graphs that it has
    more: int
    limit: int | None = None
    limit_name: str = ""
    raises: bool = False  # fullgraph: beyond the limit the call raises and does not run eagerly


class ForecastCallable(msgspec.Struct, frozen=True, omit_defaults=True):
    """How far one compiled callable was explored."""

    callable: int
    name: str = ""
    frame: Frame | None = None
    options: dict[str, str] = {}
    tried: int = 0
    served: int = 0
    invalid: int = 0  # inputs that the program itself cannot take
    cut: bool = False  # time ended before the inputs did
    left_out: int = 0  # calls of kinds beyond the first eight
    unbounded: tuple[str, ...] = ()  # sizes of which every value compiles a graph
    unusable: tuple[str, ...] = ()  # why calls of the program could not be made again
    fixed: tuple[str, ...] = ()  # what has not varied, and would compile a graph if it did
    fixed_cut: bool = False  # time ended before all of that was tried
    closed: tuple[str, ...] = ()  # objects whose tensors were not varied


class ForecastFixed(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something that has not varied yet, and that a guard fixes. It is not counted."""

    callable: int
    source: str
    dimension: int | None
    kind: ForecastKind
    held: str  # what it always was
    calls: tuple[int, ...]  # indexes into Forecast.calls: the other values that were tried
    values: tuple[str, ...] = ()  # of these
    graphs: int = 0  # that all of them compile; 0: one was refused and not compiled
    seconds: float | None = None
    unbounded: bool = False  # each further value compiles
    frame: Frame | None = None
    why: str = ""
    remedy: str = ""
    snippet: str = ""


class ForecastState(msgspec.Struct, frozen=True, omit_defaults=True):
    """A value that the program holds beside its inputs, and that a graph keeps as a constant.

    It is not counted: another value compiles another graph, but which one comes is not known.
    """

    source: str
    frame: Frame
    values: tuple[str, ...]  # seen so far, as Python writes them, in order
    varied: bool = False  # and each new value compiled
    happened: int = 0  # recompilations of the run itself
    alike: int = 0  # further layers that hold the same
    why: str = ""
    remedy: str = ""
    snippet: str = ""


class ForecastRemedy(msgspec.Struct, frozen=True, omit_defaults=True):
    """A set of remedies, and what could still be compiled with it, by a forecast under it."""

    ids: tuple[str, ...]
    text: str
    graphs: int | None  # None where it could not be tried
    left: tuple[str, ...] = ()  # what still needs graphs, in words
    price: str = ""
    why: str = ""  # it could not be tried
    changes: str = ""  # what applies it, as JSON of an overlay


class ForecastWarmup(msgspec.Struct, frozen=True, omit_defaults=True):
    """The smallest set of calls found that compiles everything, and whether it did."""

    calls: tuple[int, ...] = ()  # indexes into Forecast.calls, in the order to make them
    left: int | None = None  # inputs that still recompiled after it; None: not tried
    error: str = ""  # that it ended with when it was tried
    seconds: float | None = None  # that its compiles would take, from those seen


class Forecast(msgspec.Struct, frozen=True, omit_defaults=True):
    """The recompilations that have not happened yet."""

    calls: tuple[ForecastCall, ...] = ()
    causes: tuple[ForecastCause, ...] = ()
    frames: tuple[ForecastFrame, ...] = ()
    callables: tuple[ForecastCallable, ...] = ()
    stopped: str = ""  # why nothing, or not everything, was explored
    seconds: float | None = None  # what all of them would cost
    remedies: tuple[ForecastRemedy, ...] = ()  # the one that leaves least first
    warmup: ForecastWarmup | None = None
    fixed: tuple[ForecastFixed, ...] = ()  # has not varied yet, and a guard fixes it
    state: tuple[ForecastState, ...] = ()  # no input, what varied so far first


class CallStrip(msgspec.Struct, frozen=True, omit_defaults=True):
    """The calls of one compiled callable in columns, each as high as the slowest of its calls."""

    name: str
    calls: int
    columns: tuple[float, ...]  # seconds
    recompiled: tuple[int, ...] = ()  # columns with a call that recompiled
    eager: tuple[int, ...] = ()  # columns with a call that ran eagerly


class Proof(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a trial showed about a remedy."""

    remedy: str  # "mark_unbacked"
    cause: str  # the id of the diagnosis's cause
    text: str  # "verified: 10 recompiles to 0"
    before: CallStrip | None = None
    after: CallStrip | None = None


class Session(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One run, or the logs of one, as recorded."""

    version: Literal[1] = SESSION_VERSION
    source: Literal["probe", "logs", "trace", "lint"] = "probe"
    name: str = ""  # the script, module or log, for people
    created: str = ""  # ISO 8601
    command: tuple[str, ...] = ()
    how: Literal["exited", "failed", "killed", "interrupted", "unfinished", "unknown"] = "unknown"
    code: int | None = None  # the program's exit code
    seconds: float | None = None  # wall time of the program
    environment: Environment = Environment()
    processes: tuple[Process, ...] = ()
    callables: tuple[Callable, ...] = ()
    signatures: tuple[Signature, ...] = ()
    events: tuple[Event, ...] = ()
    findings: tuple[Finding, ...] = ()
    sources: dict[str, dict[int, str]] = {}  # path to line number to text, around each frame
    graph_break_kinds: tuple[GraphBreakKind, ...] = ()  # those that the events name
    gaps: tuple[Gap, ...] = ()
    forecast: Forecast | None = None
    proofs: tuple[Proof, ...] = ()  # from `tune`, about remedies for this run
    memory: tuple[DeviceMemory, ...] = ()
