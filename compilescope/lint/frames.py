"""What runs: frames, closures, objects, and the arguments of a call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from compilescope.lint.index import Class, Function, Module
from compilescope.lint.rule import Site
from compilescope.lint.values import Value, widened


class Instance:
    """An object of a class of the tree; attributes appear when `__init__` is run."""

    def __init__(self, owner: Class, arguments: Arguments | None = None) -> None:
        self.owner = owner
        self.arguments = arguments  # None: nothing is known about the construction
        self.attributes: dict[str, Value] = {}
        self.state = "new"  # "running", "ready"
        self.compiled: Any = None
        self.repeated = False  # made in a loop, or by a function inside another: one for each call


def passed(value: Value) -> Value:
    """What a function sees of an argument: numbers lose their value at a call."""
    return widened(value) if type(value.data) in (int, float, complex) else value


@dataclass(slots=True)
class Arguments:
    """What a call passes."""

    positional: tuple[Value, ...] = ()
    keywords: Mapping[str, Value] = field(default_factory=dict)
    open: bool = False  # `*args` or `**kwargs` of unknown content are passed, too

    def without_numbers(self) -> Arguments:
        """The same with numbers of no particular value: one evaluation serves all of them."""
        return Arguments(
            tuple(map(passed, self.positional)),
            {name: passed(value) for name, value in self.keywords.items()},
            self.open,
        )

    def key(self) -> tuple[Any, ...]:
        """For memo tables."""
        return (self.positional, tuple(sorted(self.keywords.items())), self.open)


@dataclass(eq=False)
class Closure:
    """A function defined inside another, with the frame that it sees."""

    function: Function
    frame: Frame


@dataclass(eq=False)
class Frame:
    """A function being run."""

    module: Module
    site: Site
    env: dict[str, Value]
    outer: Frame | None = None
    this: str = ""  # the name of the first parameter of a method
    owner: Class | None = None
    returns: list[Value] = field(default_factory=list)
    yields: list[Value] = field(default_factory=list)
    exits: list[list[dict[str, Value]]] = field(default_factory=list)
    finals: list[dict[str, Value]] = field(default_factory=list)
    heads: set[str] = field(default_factory=set)  # names with attributes in `env`: few have any

    def keep(self, path: str, value: Value) -> None:
        """What a name or a chain of attributes is from here on."""
        self.env[path] = value
        head, dot, _ = path.partition(".")
        if dot:
            self.heads.add(head)
