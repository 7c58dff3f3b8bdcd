"""What the records of a text log told, collected until the whole log has been read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from compilescope.logs.text_errors import Failure
from compilescope.logs.text_recompiles import Limit, Rejection
from compilescope.logs.text_warnings import Message
from compilescope.model import CudaGraphed, Frame, GraphBroke, Guarded, Specialized, Symbol

Owner = tuple[str, int | None, int | None]  # stream, rank, pid


@dataclass(frozen=True)
class Told:
    """Where a record stood and whose it was."""

    number: int
    stream: str
    rank: int | None
    pid: int | None
    compile_id: str
    at: float | None

    @property
    def owner(self) -> Owner:
        """Whose record it is, as far as the line says."""
        return self.stream, self.rank, self.pid


@dataclass
class Repeated:
    """A message, with how often it came."""

    told: Told  # its first time
    message: Message
    times: int = 0


@dataclass
class Run:
    """A step of CUDA graphs, with how often it came."""

    told: Told  # its first time
    event: CudaGraphed
    times: int = 0


@dataclass
class Story:
    """All that was told."""

    paths: set[str] = field(default_factory=set)
    owners: dict[Owner, None] = field(default_factory=dict)
    rejections: list[tuple[Told, Rejection]] = field(default_factory=list)
    forbidden: list[tuple[Told, Rejection]] = field(default_factory=list)  # by a stance
    limits: list[tuple[Told, Limit]] = field(default_factory=list)
    breaks: list[tuple[Told, GraphBroke]] = field(default_factory=list)
    break_warnings: list[tuple[Told, GraphBroke]] = field(default_factory=list)
    failures: list[tuple[Told, Failure]] = field(default_factory=list)
    starts: list[tuple[Told, Frame]] = field(default_factory=list)
    symbolic: list[tuple[Told, Symbol | Guarded | Specialized]] = field(default_factory=list)
    messages: dict[tuple[Owner, Message], Repeated] = field(default_factory=dict)
    runs: dict[tuple[Owner, CudaGraphed], Run] = field(default_factory=dict)
    guards: dict[tuple[Owner, str], tuple[str, ...]] = field(default_factory=dict)
    latencies: dict[tuple[Owner, str], float] = field(default_factory=dict)

    def message(self, told: Told, message: Message) -> None:
        """A warning or hint; the same text of the same line and process is one."""
        self.messages.setdefault((told.owner, message), Repeated(told, message)).times += 1

    def run(self, told: Told, event: CudaGraphed) -> None:
        """A step of CUDA graphs; equal ones of the same process are one."""
        self.runs.setdefault((told.owner, event), Run(told, event)).times += 1

    def symbols(self, told: Told, found: Iterable[Symbol | Guarded | Specialized]) -> None:
        """Symbolic sizes, and what became of them."""
        self.symbolic += [(told, event) for event in found]
