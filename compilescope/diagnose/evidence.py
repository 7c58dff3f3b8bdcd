"""What is known about one cause when its explanation and remedies are chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from compilescope.model import Frame, GuardFailure, Input


@dataclass(frozen=True)
class EagerBreak:
    """A graph break for which a caller runs eagerly as a whole."""

    place: Frame  # the user's line
    caller: Frame


@dataclass(frozen=True)
class Evidence:
    """All occurrences of one cause: same kind, source, dimension and user line."""

    failure: GuardFailure  # of the nearest graph, at the first occurrence
    failures: tuple[GuardFailure, ...]  # one an occurrence, in order
    values: tuple[str, ...]  # what was required and then observed, distinct, in order
    function: Frame  # the compiled function, named as the user wrote it
    calls: tuple[int, ...] = ()
    before: tuple[Input, ...] = ()  # inputs that the nearest graph was compiled for, if known
    after: tuple[Input, ...] = ()  # inputs of the call that recompiled, if known
    options: Mapping[str, str] = field(default_factory=dict)  # of torch.compile, if known
    torch: tuple[int, int] | None = None  # (2, 13), None where unknown
    limit_reached: bool = False
    constant: bool | None = None  # whether the new graph holds the value as a constant again
    by_inductor: bool = False  # it became one in the compiler: the user's code left it open
    instances: tuple[str, ...] = ()  # the compiled callables that recompiled, where several
    another: str = ""  # the callable whose first call it was, where the graph is another's
    compiled: str = ""  # the function that was given to torch.compile, "" where unknown
    whole: bool = False  # the function is that of the one module which was compiled
    converted: bool = False  # the parameters of the module have another dtype too
    failed: bool = False  # the compile that it led to raised, and had a symbol for a new value
    no_module: bool = False  # what was given is known to be a function, partial or lambda
    wrapped: bool = False  # the function is torch's own wrapper of a compiled module
    foreign: bool = False  # the function is a library's
    mapping: bool | None = None  # whether the container is a dict, None where unknown
    variadic: str = ""  # the name of the function's `*args`
    made_inside: bool = False  # the function makes the value itself, between two graph breaks
    eager_break: EagerBreak | None = None


def torch_version(text: str) -> tuple[int, int] | None:
    """(2, 13) of "2.13.0+cpu"."""
    parts = text.split(".")
    if len(parts) >= 2 and parts[0].isdigit() and parts[1].isdigit():
        return int(parts[0]), int(parts[1])
    return None
