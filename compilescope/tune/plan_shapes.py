"""Trials for sizes, and for what follows from them: marks, bounds, padding, settings."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope.tune.plan_inputs import changes
from compilescope.tune.remedy import Candidate, argument, compile_with, config
from compilescope.tune.situation import Situation


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
