"""From a cause to the remedies that can be tried for it, the most promising first."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from compilescope.tune import (
    plan_inputs,
    plan_modes,
    plan_rewrites,
    plan_shapes,
    plan_sources,
    plan_state,
)
from compilescope.tune.remedy import Candidate, compile_with
from compilescope.tune.situation import Situation
from compilescope.tune.versions import lacking

# Guards that a branch of the user's makes: no mark takes away that both sides come.
_BRANCHES = ("shape", "shape.mod", "shape.range", "shape.product", "shape.derived")
_SHAPED = ("tensor.size", "shape.")
Plan = Callable[[Situation], Iterator[Candidate]]


def candidates(situation: Situation) -> list[Candidate]:
    """All that can be tried for one cause, each action once."""
    found: dict[bytes, Candidate] = {}
    for candidate in _offered(situation):
        if not lacking(candidate.id, situation.torch):
            found.setdefault(candidate.key, candidate)
    return list(found.values())


def refusals(situation: Situation) -> list[str]:
    """What would be tried for the cause, had this torch got it; and why it cannot be."""
    found = [(one.text, lacking(one.id, situation.torch)) for one in _offered(situation)]
    return list(dict.fromkeys(f"not tried: {text}: {why}" for text, why in found if why))


def _offered(situation: Situation) -> Iterator[Candidate]:
    for plan in _plans(situation):
        yield from plan(situation)


def _plans(situation: Situation) -> Iterator[Plan]:
    kind = situation.cause.kind
    if len(situation.cause.callables) > 1 and not kind.startswith(_SHAPED):
        yield isolate
    if kind.startswith("global_state"):
        yield plan_modes.modes
    elif situation.crosses_break:
        yield plan_sources.across_break
    elif kind in _BRANCHES:
        yield plan_rewrites.conditions
        yield plan_shapes.shapes
    elif kind.startswith(_SHAPED) or kind == "module.param_shape":
        yield plan_shapes.shapes
    else:
        yield plan_state.state
        yield plan_inputs.changes
    yield dynamic
    yield plan_sources.sources
    yield plan_rewrites.rewrites
    yield plan_state.leave_out
    yield isolate


def dynamic(situation: Situation) -> Iterator[Candidate]:
    """`dynamic=True`, where it is not given."""
    if situation.dynamic or situation.cause.kind.startswith(("id", "global_state")):
        return
    entry = compile_with(situation.callable, dynamic=True)
    text = "torch.compile(dynamic=True)" + situation.of_callable
    yield situation.candidate("dynamic_true", text, entry, weight=2)


def isolate(situation: Situation) -> Iterator[Candidate]:
    """A cache for each torch.compile call."""
    if len(set(situation.cause.callables)) < len(situation.cause.callables) or (
        situation.cause.kind == "backend" or "isolate_recompiles" in situation.remedies
    ):
        entry = compile_with(situation.callable, isolate_recompiles=True)
        text = "torch.compile(isolate_recompiles=True)" + situation.of_callable
        yield situation.candidate("isolate_recompiles", text, entry, weight=2)
