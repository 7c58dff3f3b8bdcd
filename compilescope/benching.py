"""The result of `bench`: the program's eager calls beside its compiled ones, in each setting."""

from __future__ import annotations

from typing import Literal

import msgspec

from compilescope.model import Environment

BENCHING_VERSION: Literal[1] = 1

Agreement = Literal["same", "within rounding", "differs", "random", "not compared"]
Dynamic = Literal["", "None", "True", "False", "marked", "unbacked"]
What = Literal["inference", "forward and backward", "training step", "call"]


class Range(msgspec.Struct, frozen=True):
    """A number with its 95 % interval; the ends are None where the data does not bound it."""

    value: float
    low: float | None = None
    high: float | None = None


class Case(msgspec.Struct, frozen=True):
    """Inputs that are measured together: one row of a sweep, or all that the program brought."""

    name: str = ""  # "batch=8 seq=128", "" where there is one case
    inputs: tuple[str, ...] = ()  # "x: float32[8, 128]", one text an input
    weights: tuple[int, ...] = ()  # how often the program brought each input


class Calls(msgspec.Struct, frozen=True):
    """The calls of one variant with the inputs of one case, in seconds a call."""

    median: Range
    p99: float
    worst: float
    best: float
    count: int  # calls that the numbers above are from
    warm_up: int = 0  # calls before them that were left out: compiling, or not yet steady
    settled: bool = True  # whether the calls came to a steady level at all
    outliers: tuple[int, ...] = ()  # indexes into samples; they are in all numbers above
    samples: tuple[float, ...] = ()  # every call in order, warm-up included


class Measured(msgspec.Struct, frozen=True):
    """Eager and compiled in turns, with the inputs of one case."""

    case: int  # index into Benching.cases
    eager: Calls
    compiled: Calls
    ratio: Range  # eager by compiled: above 1 compiled is faster
    rounds: int


class Cost(msgspec.Struct, frozen=True):
    """What it took until the compiled calls were steady, beyond the calls themselves."""

    seconds: float
    graphs: int = 0
    recompiles: int = 0
    recompile_seconds: float = 0.0


class Difference(msgspec.Struct, frozen=True):
    """One output or gradient: its relative error in eager and in compiled calls."""

    name: str  # "output", "output[1]", "loss", "gradient of 0.weight"
    dtype: str
    eager: float | None  # against the reference; None where there is none
    compiled: float | None  # against the reference, or else against eager
    verdict: Agreement
    detail: str = ""


class Numerics(msgspec.Struct, frozen=True):
    """Whether compiled calls compute what eager calls do."""

    verdict: Agreement
    reference: str = ""  # "eager in float64" or float32, "eager" where neither was possible
    first: str = ""  # the first output that differs, and how
    why: str = ""  # there is no better reference, or nothing was compared
    rows: tuple[Difference, ...] = ()  # the worst first


class Setting(msgspec.Struct, frozen=True):
    """How torch.compile was called."""

    mode: str = ""  # "" where the program's own is kept
    dynamic: Dynamic = ""
    pad: int = 0  # sizes that vary are padded to a multiple of it
    compile_optimizer: bool = False
    tuned: bool = False  # with the remedies of the best trial of tune
    shape_padding: bool = True  # inductor may pad matrix multiplications, on a GPU

    @property
    def name(self) -> str:
        """What people call it: `max-autotune, marked, padded to 8`."""
        own = self.dynamic in ("marked", "unbacked")
        parts = [self.dynamic if own else f"dynamic={self.dynamic}"] if self.dynamic else []
        parts += ["tuned"] if self.tuned else []
        parts += [f"padded to {self.pad}"] if self.pad else []
        parts += [] if self.shape_padding else ["shape_padding off"]
        parts += ["optimizer compiled"] if self.compile_optimizer else []
        if self.mode and (self.mode != "default" or not parts):
            parts.insert(0, self.mode)
        return ", ".join(parts) or "as it is"


class Trial(msgspec.Struct, frozen=True):
    """One setting beside eager, measured in a process of its own."""

    setting: Setting
    outcome: Literal["measured", "failed", "stopped"]
    why: str = ""  # it failed or stopped
    measured: tuple[Measured, ...] = ()
    ratio: Range | None = None  # over all cases, each input as often as the program brought it
    cold: Cost | None = None  # with an empty compile cache
    warm: Cost | None = None  # in a new process with the cache that the first one left
    break_even: Range | None = None  # calls until the cold cost is won back; None is never
    break_even_warm: Range | None = None
    eager_memory: int | None = None  # peak bytes of a call beyond what was held before it
    compiled_memory: int | None = None
    process_memory: int | None = None  # peak bytes of the process that compiled
    graphs: int = 0
    breaks: tuple[str, ...] = ()  # distinct, with their places
    recompiles: int = 0
    recompile_seconds: float = 0.0
    recompile_reasons: tuple[str, ...] = ()  # distinct, in words
    fallback: str = ""  # the recompile limit was reached: what PyTorch said
    numerics: Numerics = Numerics("not compared")
    cautions: tuple[str, ...] = ()  # drift, load, calls that did not settle
    marks: tuple[str, ...] = ()  # what "marked" or padding was applied to, or tune's remedies
    remedies: tuple[str, ...] = ()  # what may do away with the recompiles, one a cause

    @property
    def name(self) -> str:
        """The setting's."""
        return self.setting.name


class Change(msgspec.Struct, frozen=True):
    """One setting and case in an earlier result and in this one."""

    setting: str
    case: str
    before: Range  # eager by compiled
    after: Range
    compiled: tuple[float, float]  # median seconds
    eager: tuple[float, float]
    verdict: Literal["faster", "slower", "no clear change"]


class Earlier(msgspec.Struct, frozen=True):
    """An earlier result that this one is held against."""

    name: str
    changes: tuple[Change, ...] = ()
    cautions: tuple[str, ...] = ()  # another torch, another device, other inputs


class Benching(msgspec.Struct, frozen=True):
    """Everything that was measured."""

    name: str
    what: What
    environment: Environment
    device: str  # "cpu", "NVIDIA H200"
    timer: str  # "perf_counter", "CUDA events"
    verdict: str
    cases: tuple[Case, ...] = ()
    trials: tuple[Trial, ...] = ()  # in the order in which they were made
    best: int | None = None  # index into trials; None where nothing is clearly faster than eager
    dtype: str = ""  # of the parameters, or else of the inputs
    autocast: str = ""
    notes: tuple[str, ...] = ()  # where the inputs came from, what was left out
    earlier: Earlier | None = None
    seconds: float = 0.0  # what the whole bench took
    created: str = ""
    version: Literal[1] = BENCHING_VERSION
