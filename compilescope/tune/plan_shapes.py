"""Trials for sizes, and for what follows from them: marks, ranges, padding, settings."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope.tune.plan_inputs import changes
from compilescope.tune.remedy import Candidate, Entry, argument, compile_with, config
from compilescope.tune.situation import Situation

_MULTIPLE = 8


def shapes(situation: Situation) -> Iterator[Candidate]:
    """Sizes and what follows from them."""
    yield from _settings(situation)
    if "drop_dynamic_false" in situation.remedies:
        yield situation.candidate(
            "drop_dynamic_false", "dynamic=None", compile_with(situation.callable, dynamic=None)
        )
    of_parameter = situation.cause.kind == "module.param_shape"
    if situation.is_argument and situation.sizes and not of_parameter:
        yield from _marked(situation)
    if situation.cause.kind == "tensor.size" and not situation.dynamic:
        # The sizes of two calls are known before the first compile: what changes is a symbol.
        entry = Entry("stance", {"value": {"name": "eager_then_compile"}})
        text = 'torch.compiler.set_stance("eager_then_compile")'
        yield situation.candidate("eager_then_compile", text, entry, weight=2)
    if situation.padding and situation.is_argument:
        yield from _padding(situation)


def _settings(situation: Situation) -> Iterator[Candidate]:
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
    if "shape_padding" in situation.remedies:
        yield situation.candidate(
            "shape_padding",
            "shape_padding = False",
            config("inductor.shape_padding", value=False),
        )


def _marked(situation: Situation) -> Iterator[Candidate]:
    order = ("mark_dynamic", "mark_unbacked")
    for how in order[::-1] if situation.special else order:
        # Sizes that were always equal go together: one that stays fixed would fix the other.
        yield _marks(situation, how, situation.tied)
    if situation.special and len(situation.varying) > 1:
        both = config("shapes.use_duck_shape", value=False)
        marks = _marks(situation, "mark_unbacked", situation.varying)
        yield situation.candidate(
            "mark_unbacked", f"{marks.text}, use_duck_shape = False", *marks.entries, both
        )
    if "widen_range" in situation.remedies:
        yield _ranged(situation, "mark_dynamic", "widen_range")
    elif situation.cause.kind.startswith("shape."):
        # A known range lets the compiler decide a comparison that it would raise about.
        yield _ranged(situation, "mark_unbacked", "mark_unbacked_range")
    fixed = [pair for pair in situation.sizes if pair not in situation.varying]
    if fixed and situation.dynamic and situation.cause.kind.startswith("shape."):
        marks = _marks(situation, "mark_static", fixed)
        yield situation.candidate("mark_static", marks.text, *marks.entries, weight=2)


def _marks(situation: Situation, how: str, sizes: list[tuple[str, int]]) -> Candidate:
    pairs = sizes or situation.sizes[:2]
    text = ", ".join(f"{how}({name}, {dimension})" for name, dimension in pairs)
    entries = (
        argument(situation.callable, name, how, dimension=dimension) for name, dimension in pairs
    )
    return situation.candidate(how, text, *entries)


def _ranged(situation: Situation, how: str, name: str) -> Candidate:
    """Marks with the range of what was seen, which a power of two rounds up."""
    entries, texts = [], []
    for path, dimension in situation.sizes[:2]:
        seen = situation.seen(path, dimension) or {2}
        low, high = min(seen), 1 << max(max(seen) - 1, 1).bit_length()
        low = max(low, 2) if how == "mark_dynamic" else low
        entries.append(
            argument(situation.callable, path, how, dimension=dimension, min=low, max=high)
        )
        texts.append(f"{how}({path}, {dimension}, min={low}, max={high})")
    return situation.candidate(name, ", ".join(texts), *entries, weight=2)


def _padding(situation: Situation) -> Iterator[Candidate]:
    for name, dimension in situation.sizes[:1]:
        seen = sorted(situation.seen(name, dimension))
        where = f"dimension {dimension} of {name}"
        entry = argument(situation.callable, name, "pad", dimension=dimension, multiple=_MULTIPLE)
        yield situation.candidate(
            "pad", f"pad {where} to a multiple of {_MULTIPLE}", entry, weight=4
        )
        if seen:
            buckets = buckets_for(seen)
            entry = argument(situation.callable, name, "pad", dimension=dimension, buckets=buckets)
            text = f"pad {where} to {', '.join(str(size) for size in buckets)}"
            yield situation.candidate("pad", text, entry, weight=4)


def buckets_for(sizes: list[int]) -> list[int]:
    """The powers of two that cover `sizes`, at most four of them, the largest kept."""
    powers = sorted({1 << max(size - 1, 1).bit_length() for size in sizes})
    return powers[-4:]
