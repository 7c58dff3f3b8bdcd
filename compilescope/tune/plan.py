"""From a cause to the remedies that can be tried for it, the most promising first."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from compilescope.diagnose.evidence import Evidence, torch_version
from compilescope.diagnose.explain_shape import sizes_in
from compilescope.diagnose.explain_words import RESUME, Words, as_written, expression
from compilescope.diagnose.remedies.catalogue import FACTS
from compilescope.diagnosis import Cause, Diagnosis, Remedy
from compilescope.model import Callable as Target
from compilescope.model import GuardFailure, Input, Session
from compilescope.tune import plan_sources, plan_state
from compilescope.tune.remedy import (
    Candidate,
    Entry,
    argument,
    compile_with,
    config,
)

_STACK = re.compile(r"^_{2,3}stack\d+")
_SHAPED = ("tensor.size", "shape.")


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
    def remedies(self) -> dict[str, Remedy]:
        """What the diagnosis offers, by id."""
        return {remedy.id: remedy for remedy in self.cause.remedies}

    def has(self, remedy: str) -> bool:
        """Whether this torch has `remedy`."""
        since = FACTS[remedy].since if remedy in FACTS else ""
        return not since or self.torch >= tuple(int(part) for part in since.split("."))

    def candidate(self, name: str, text: str, *entries: Entry, weight: int = 1) -> Candidate:
        """A remedy for this cause."""
        price = FACTS[name].price if name in FACTS else ""
        return Candidate(name, text, entries, price, self.cause.id, weight)

    def brought(self, path: str) -> list[Input]:
        """What the calls brought for the argument at `path`."""
        return [
            item
            for signature in self.session.signatures
            for item in signature.inputs
            if item.source == path
        ]


Plan = Callable[[Situation], Iterator[Candidate]]


def candidates(situation: Situation) -> list[Candidate]:
    """All that can be tried for one cause, each action once."""
    found: dict[bytes, Candidate] = {}
    for plan in _plans(situation):
        for candidate in plan(situation):
            if situation.has(candidate.id):
                found.setdefault(candidate.key, candidate)
    return list(found.values())


def _plans(situation: Situation) -> Iterator[Plan]:
    kind = situation.cause.kind
    if len(situation.cause.callables) > 1 and not kind.startswith(_SHAPED):
        yield isolate
    if situation.crosses_break:
        yield plan_sources.across_break
    elif kind.startswith(_SHAPED) or kind == "module.param_shape":
        yield shapes
    else:
        yield plan_state.state
        yield changes
    yield dynamic
    yield plan_sources.sources
    yield plan_state.leave_out
    yield isolate


def shapes(situation: Situation) -> Iterator[Candidate]:
    """Sizes and what follows from them."""
    kind = situation.cause.kind
    if kind == "shape.duck":
        yield situation.candidate(
            "use_duck_shape",
            "use_duck_shape = False",
            config("shapes.use_duck_shape", value=False),
        )
    if kind in ("shape.storage_offset", "shape.stride"):
        yield from changes(situation)
    if kind == "shape.exclusion":
        yield situation.candidate(
            "exclusion_guard",
            "automatic_dynamic_exclusion_guard = False",
            config("dynamo.automatic_dynamic_exclusion_guard", value=False),
        )
    if kind == "module.param_shape" or "force_parameter_static_shapes" in situation.remedies:
        yield situation.candidate(
            "force_parameter_static_shapes",
            "force_parameter_static_shapes = False",
            config("dynamo.force_parameter_static_shapes", value=False),
        )
    if "drop_dynamic_false" in situation.remedies:
        yield situation.candidate(
            "drop_dynamic_false", "dynamic=None", compile_with(situation.callable, dynamic=None)
        )
    if situation.is_argument and situation.sizes:
        order = ("mark_dynamic", "mark_unbacked")
        for how in order[::-1] if situation.special else order:
            yield _marks(situation, how, situation.tied if how == "mark_unbacked" else [])
        if situation.special and len(situation.varying) > 1:
            both = config("shapes.use_duck_shape", value=False)
            marks = _marks(situation, "mark_unbacked", situation.varying)
            yield situation.candidate(
                "mark_unbacked", f"{marks.text}, use_duck_shape = False", *marks.entries, both
            )
    if situation.padding and situation.is_argument:
        yield from _padding(situation)


def _marks(situation: Situation, how: str, sizes: list[tuple[str, int]]) -> Candidate:
    pairs = sizes or situation.sizes[:2]
    text = ", ".join(f"{how}({name}, {dimension})" for name, dimension in pairs)
    entries = (
        argument(situation.callable, name, how, dimension=dimension) for name, dimension in pairs
    )
    return situation.candidate(how, text, *entries)


def _padding(situation: Situation) -> Iterator[Candidate]:
    for name, dimension in situation.sizes[:1]:
        entry = argument(situation.callable, name, "pad", dimension=dimension, multiple=8)
        yield situation.candidate(
            "pad", f"pad dimension {dimension} of {name} to a multiple of 8", entry, weight=4
        )


def changes(situation: Situation) -> Iterator[Candidate]:
    """Changes to an argument on its way in."""
    path = situation.words.variable
    if not situation.is_argument or not path or path == "self":
        return
    offered = situation.remedies
    for remedy, (do, more) in _CHANGES.items():
        if remedy in offered:
            given = {key: find(situation) for key, find in more.items()}
            if None in given.values():
                continue
            snippet = offered[remedy].snippet or f"{remedy}({path})"
            entry = argument(situation.callable, path, do, **given)
            yield situation.candidate(remedy, snippet, entry, weight=2)
    if situation.cause.kind == "shape.storage_offset" or situation.cause.kind.startswith("alias"):
        entry = argument(situation.callable, path, "clone")
        yield situation.candidate("clone", f"{path} = {path}.clone()", entry, weight=2)


def _first_dtype(situation: Situation) -> str | None:
    found = situation.brought(situation.words.variable)
    return found[0].dtype.removeprefix("torch.") if found and found[0].dtype else None


def _first_device(situation: Situation) -> str | None:
    found = situation.brought(situation.words.variable)
    return found[0].device or None if found else None


# Remedy to what the agent does to the argument, and what else it must be told.
_CHANGES: dict[str, tuple[str, dict[str, Callable[[Situation], str | None]]]] = {
    "clone": ("clone", {}),
    "contiguous": ("contiguous", {}),
    "channels_last": ("channels_last", {}),
    "cast_dtype": ("dtype", {"to": _first_dtype}),
    "same_device": ("device", {"to": _first_device}),
    "resolve": ("resolve", {}),
    "to_dense": ("dense", {}),
    "plain_tensor": ("plain_tensor", {}),
    "detach": ("detach", {}),
    "pass_as_tensor": ("tensor", {}),
    "plain_container": ("plain", {}),
}


def dynamic(situation: Situation) -> Iterator[Candidate]:
    """`dynamic=True`, where it is not given."""
    if situation.dynamic or situation.cause.kind in ("id", "global_state"):
        return
    entry = compile_with(situation.callable, dynamic=True)
    yield situation.candidate("dynamic_true", "torch.compile(dynamic=True)", entry, weight=2)


def isolate(situation: Situation) -> Iterator[Candidate]:
    """A cache for each torch.compile call."""
    if len(set(situation.cause.callables)) < len(situation.cause.callables) or (
        situation.cause.kind == "backend" or "isolate_recompiles" in situation.remedies
    ):
        entry = compile_with(situation.callable, isolate_recompiles=True)
        text = "torch.compile(isolate_recompiles=True)"
        yield situation.candidate("isolate_recompiles", text, entry, weight=2)
