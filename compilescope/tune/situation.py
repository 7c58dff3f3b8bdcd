"""A cause with what the session knows about the calls that it concerns."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from compilescope.diagnose.evidence import Evidence, torch_version
from compilescope.diagnose.explain_shape import sizes_in
from compilescope.diagnose.explain_words import RESUME, Words, as_written, expression
from compilescope.diagnosis import Cause, Diagnosis, Remedy
from compilescope.model import Callable as Target
from compilescope.model import GuardFailure, Input, Session
from compilescope.tune.remedy import Candidate, Entry
from compilescope.tune.versions import price

# A length, a size or a stride is no value to hold.
_NO_VALUES = ("container.", "shape.", "tensor.", "module.param_shape")
_NUMBER = re.compile(r"^-?[\d.]+(e[+-]?\d+)?$")
_STACK = re.compile(r"^_{2,3}stack\d+")


@dataclass(frozen=True)
class Situation:
    """A cause with what the session knows about the calls that it concerns."""

    cause: Cause
    session: Session
    diagnosis: Diagnosis
    padding: bool = False  # whether changes of outputs were asked for

    @cached_property
    def failure(self) -> GuardFailure:
        """The guard that failed, at the first recompile."""
        found = [one for one in self.diagnosis.recompiles if one.cause == self.cause.id]
        for one in found:
            for reason in one.reasons:
                if reason.kind == self.cause.kind and reason.source == self.cause.source:
                    return reason
        return found[0].reasons[0] if found and found[0].reasons else GuardFailure("unknown", "")

    @cached_property
    def words(self) -> Words:
        """The failure as words."""
        frame = self.cause.function or self.cause.frame
        return Words(Evidence(self.failure, (self.failure,), self.cause.values, frame))

    @cached_property
    def torch(self) -> tuple[int, int]:
        """The torch that ran; the newest known where the session does not say."""
        return torch_version(self.session.environment.torch) or (2, 13)

    @cached_property
    def targets(self) -> list[Target]:
        """The compiled callables whose calls recompiled."""
        names = set(self.cause.callables)
        return [target for target in self.session.callables if target.name in names]

    @property
    def callable(self) -> str:
        """The one callable that it concerns, "" for several."""
        names = list(dict.fromkeys(self.cause.callables))
        return names[0] if len(names) == 1 else ""

    @property
    def of_callable(self) -> str:
        """Words that tell the one callable from others of the program, "" where it is alone."""
        several = len({target.name for target in self.session.callables}) > 1
        return f" of {self.callable}" if several and self.callable else ""

    @cached_property
    def is_argument(self) -> bool:
        """Whether the source is a path from an argument of the callable itself."""
        function, head = self.cause.function, re.match(r"\w+", self.cause.source)
        if function is None or self.crosses_break:
            return False
        known = {re.split(r"[.\[]", item.source)[0] for one in self.session.signatures
                 for item in one.inputs}  # fmt: skip
        pairs = [name for name, _ in sizes_in(expression(self.failure))]
        heads = {re.split(r"[.\[]", name)[0] for name in pairs} | ({head[0]} if head else set())
        return heads <= known | {"self"} and any(
            target.frame is not None
            and (target.frame.path, target.frame.function) == (function.path, function.function)
            for target in self.targets
        )

    @cached_property
    def crosses_break(self) -> bool:
        """Whether the source lay on the stack at a graph break, or the frame goes on after one."""
        resumed = any(
            RESUME.search(one.frame.function)
            for one in self.diagnosis.recompiles
            if one.cause == self.cause.id
        )
        return bool(_STACK.match(self.cause.source)) or resumed

    @property
    def dynamic(self) -> bool:
        """Whether the callables were compiled with dynamic=True."""
        return any(target.options.get("dynamic") == "True" for target in self.targets)

    @cached_property
    def sizes(self) -> list[tuple[str, int]]:
        """The (tensor, dimension) pairs that the guard is about."""
        found = sizes_in(expression(self.failure))
        if self.cause.dimension is not None and self.cause.source:
            found = [(as_written(self.cause.source), self.cause.dimension), *found]
        return list(dict.fromkeys(found))

    @cached_property
    def tied(self) -> list[tuple[str, int]]:
        """The sizes of the guard, and those that were equal to one of them in every call."""
        observed = [
            {
                (item.source, dimension): size
                for item in signature.inputs
                for dimension, size in enumerate(item.shape or ())
            }
            for signature in self.session.signatures
        ]
        rows = [row for row in observed if all(pair in row for pair in self.sizes)]
        found = list(self.sizes)
        for pair in self.sizes:
            own = [row[pair] for row in rows]
            others = {other for row in rows for other in row} - set(found)
            if len(set(own)) > 1:
                found += sorted(one for one in others if [row.get(one) for row in rows] == own)
        return found

    def seen(self, path: str, dimension: int) -> set[int]:
        """The sizes that the calls brought."""
        shapes = (item.shape or () for item in self.brought(path))
        return {shape[dimension] for shape in shapes if len(shape) > dimension}

    @cached_property
    def varying(self) -> list[tuple[str, int]]:
        """Every size that was not the same in all calls."""
        seen: dict[tuple[str, int], set[int]] = {}
        for signature in self.session.signatures:
            for item in signature.inputs:
                for dimension, size in enumerate(item.shape or ()):
                    seen.setdefault((item.source, dimension), set()).add(size)
        return [pair for pair, sizes in seen.items() if len(sizes) > 1]

    @property
    def special(self) -> bool:
        """Whether one of the sizes is 0 or 1."""
        return self.cause.kind == "shape.zero_one" or bool({"0", "1"} & set(self.cause.values))

    @property
    def is_number(self) -> bool:
        """Whether the value that differs is a number, which a tensor or a symbol can hold."""
        if self.cause.kind.startswith(_NO_VALUES):
            return False
        values = self.cause.values or (self.failure.required,)
        return any(_NUMBER.match(value) for value in values)

    @property
    def remedies(self) -> dict[str, Remedy]:
        """What the diagnosis offers, by id."""
        return {remedy.id: remedy for remedy in self.cause.remedies}

    def candidate(self, name: str, text: str, *entries: Entry, weight: int = 1) -> Candidate:
        """A remedy for this cause."""
        return Candidate(name, text, entries, price(name), self.cause.id, weight)

    def brought(self, path: str) -> list[Input]:
        """What the calls brought for the argument at `path`."""
        return [
            item
            for signature in self.session.signatures
            for item in signature.inputs
            if item.source == path
        ]
