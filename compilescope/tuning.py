"""The result of `tune`: which remedies were tried on the program, and what each of them did."""

from __future__ import annotations

from typing import Literal

import msgspec

from compilescope.model import Environment

TUNING_VERSION = 1

Outputs = Literal["agree", "differ", "random", "not compared"]
Outcome = Literal[
    "baseline", "solved", "better", "no better", "worse", "wrong", "failed", "unfinished", "refused"
]


class Applied(msgspec.Struct, frozen=True):
    """One remedy as it was applied in a trial."""

    id: str  # as in the diagnosis: "mark_unbacked", "use_duck_shape", ...
    text: str  # what it does, with the user's names
    price: str = ""
    causes: tuple[str, ...] = ()  # ids of the causes that it was tried for


class Measures(msgspec.Struct, frozen=True):
    """What one run did; seconds and bytes, None where it was not measured."""

    calls: int = 0
    recompiles: int = 0  # those that calls of the program paid for
    recompiled_at: tuple[int, ...] = ()  # indexes of those calls
    breaks: int = 0
    fallbacks: int = 0
    eager_calls: int = 0
    compiles: int = 0
    compile_seconds: float = 0.0
    first: float | None = None  # the first call of the program, after any warm-up
    steady: float | None = None  # median of calls that compiled nothing
    p99: float | None = None
    worst: float | None = None  # the slowest call but the first
    total: float | None = None  # the whole process
    warm_up: float = 0.0  # seconds of warm-up calls
    rss: int | None = None  # peak
    device_memory: int | None = None  # peak


class Trial(msgspec.Struct, frozen=True):
    """One run of the program with a set of remedies; without any, the baseline."""

    number: int
    remedies: tuple[Applied, ...]
    measures: Measures
    outcome: Outcome
    why: str = ""  # of the outcome, in words
    outputs: Outputs = "not compared"
    left: tuple[str, ...] = ()  # ids of causes that still recompiled
    refused: tuple[str, ...] = ()  # what could not be applied, and why
    session: str = ""  # the file of the run's session
    overlay: str = ""  # the overlay as JSON
    label: str = ""  # the name of a strategy
    reused: bool = False  # the run was made earlier and kept


class Patch(msgspec.Struct, frozen=True):
    """A change to the user's source that does what the best trial did."""

    diff: str = ""  # unified
    paste: tuple[str, ...] = ()  # what could not be edited safely: the lines, and where
    verified: bool = False  # whether a run of the changed source agreed
    why: str = ""
    measures: Measures | None = None  # of that run
    written: bool = False  # whether --apply wrote it


class Tuning(msgspec.Struct, frozen=True):
    """All trials, best first."""

    name: str
    command: tuple[str, ...]
    environment: Environment
    baseline: Trial
    trials: tuple[Trial, ...] = ()
    best: int | None = None  # Trial.number; None where nothing was better than the baseline
    patch: Patch | None = None
    notes: tuple[str, ...] = ()
    orders: tuple[int, int] | None = None  # fewest and most recompiles over other orders of calls
    created: str = ""
    jobs: int = 1  # runs side by side: their timings are shared
    tolerance: str = ""  # within which outputs agree
    finished: bool = True  # False while trials go on, or where they were stopped
    version: int = TUNING_VERSION
