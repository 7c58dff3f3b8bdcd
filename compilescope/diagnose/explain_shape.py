"""Why a relation between sizes did not hold: duck sizing, 0/1, ranges, arithmetic."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from compilescope.diagnose.explain_size import stride as tensor_stride
from compilescope.diagnose.explain_words import Words, code, expression

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_SHAPE = r"([A-Za-z_][\w.\[\]'\"]*)\.shape\[(\d+)\]"
_SAME_SIZE = re.compile(r"same size (\d+)")


def sizes_in(text: str) -> list[tuple[str, int]]:
    """The (tensor, dimension) pairs that a condition names, in order, without doubles."""
    found = [(name, int(dimension)) for name, dimension in re.findall(_SHAPE, text)]
    return list(dict.fromkeys(found))


def _size(name: str, dimension: int) -> str:
    return f"`{name}.shape[{dimension}]`"


def duck(words: Words) -> str:
    """Two sizes that were equal by chance and became one symbol."""
    pairs = sizes_in(expression(words.failure))
    value = _SAME_SIZE.search(words.failure.raw)
    if len(pairs) < 2:
        return (
            "Two sizes were equal when this graph was compiled, so PyTorch took them for one. "
            f"In {words.call} they differ."
        )
    first, second = (_size(*pair) for pair in pairs[:2])
    both = f"were both {value[1]}" if value else "were equal"
    return (
        f"{first} and {second} {both} when this graph was compiled, so PyTorch took them for one "
        f"size (duck sizing). In {words.call} they differ."
    )


def zero_one(words: Words) -> str:
    """A dynamic dimension that became 0 or 1."""
    pairs = sizes_in(expression(words.failure))
    subject = _size(*pairs[0]) if pairs else words.name or "A dynamic size"
    observed = words.observed
    if observed in ("0", "1"):
        fact = f"{subject} was {observed} in {words.call}; this graph serves sizes from 2 up."
    else:
        fact = f"{subject} was 0 or 1 in {words.call}; this graph serves sizes from 2 up."
    return f"{fact} PyTorch compiles sizes 0 and 1 separately, even when the dimension is dynamic."


def condition(words: Words) -> str:
    """Any condition over sizes that the traced code asked for."""
    text = expression(words.failure)
    place = _branch(words)
    if not text:
        return (
            f"A condition on sizes that this graph relies on{place} did not hold in {words.call}."
        )
    return (
        f"This graph holds only where {code(text)}{place}; in {words.call} it did not. "
        "Each outcome of such a condition is compiled separately."
    )


def _branch(words: Words) -> str:
    frame = words.failure.frame
    if frame is None or not frame.code:
        return ""
    return f", because of {code(frame.code)}"


def is_zero_or_one(words: Words, low: str) -> bool:
    """Whether a size is below a range that begins at 2, where all dynamic sizes begin."""
    return low == "2" and words.observed in ("0", "1") and ".shape[" in expression(words.failure)


def bounds(words: Words) -> str:
    """A size outside the range the graph was compiled for."""
    text = expression(words.failure)
    found = re.match(r"^(\d+) <= (\S+?)(?: <= (\d+))?$", text)
    if not found:
        return condition(words)
    low, subject, high = found.groups()
    if is_zero_or_one(words, low):
        return zero_one(words)
    range_ = f"from {low} to {high}" if high else f"from {low} up"
    brought = f"had {words.observed}" if words.observed.isdigit() else "was outside"
    return (
        f"This graph serves {code(subject)} {range_}{_origin(words)}; "
        f"{words.call} {brought}. The other side of the limit is another graph."
    )


def _origin(words: Words) -> str:
    frame = words.failure.frame
    text = frame.code if frame else ""
    return f", because of {code(text)}" if re.match(r"(if|elif|while|assert)\b", text) else ""


def equal(words: Words) -> str:
    """Two sizes that the traced code needs to be equal, or that a branch found equal."""
    return _relation(words, "equal")


def unequal(words: Words) -> str:
    """A size that a branch found different from another."""
    return _relation(words, "different")


def _relation(words: Words, state: str) -> str:
    pairs = sizes_in(expression(words.failure))
    if len(pairs) != 2 or not re.match(rf"^{_SHAPE} [!=]= {_SHAPE}$", expression(words.failure)):
        return condition(words)
    first, second = (_size(*pair) for pair in pairs)
    other = "differ" if state == "equal" else "are equal"
    line = words.failure.frame.line if words.failure.frame else 0
    where = f"the code at line {line}" if line else "the graph"
    return (
        f"{first} and {second} were {state} when this graph was compiled, and {where} depends on "
        "it; "
        f"in {words.call} they {other}."
    )


def divisible(words: Words) -> str:
    """Divisibility of a size."""
    text = expression(words.failure)
    found = re.match(r"^\((\S+) % (\d+)\) == 0$", text)
    if not found:
        return condition(words)
    return (
        f"This graph serves only values of {code(found[1])} that divide by {found[2]}"
        f"{_branch(words)}; in {words.call} it did not divide."
    )


def storage_offset(words: Words) -> str:
    """Where a slice begins in its storage."""
    subject = words.name or "A tensor"
    if match := re.search(r"([\w.\[\]]+)\.storage_offset\(\)", expression(words.failure)):
        subject = code(match[1])
    return (
        f"{subject} is a view that begins at another place in its storage than when this graph was "
        "compiled. The offset is part of the graph."
    )


def stride(words: Words) -> str:
    """A relation over a stride, or a stride that is a constant."""
    return tensor_stride(words) if "stride mismatch" in words.failure.raw else condition(words)


def exclusion(words: Words) -> str:
    """A dynamic graph leaves the sizes of an older static one to it."""
    text = expression(words.failure)
    sizes = f" (it holds where {code(text)})" if text else ""
    return (
        f"This dynamic graph leaves one size to an older graph that was compiled for it{sizes}, "
        f"and that one rejected {words.call} too."
    )


SENTENCES: Mapping[str, Callable[[Words], str]] = {
    "shape.duck": duck,
    "shape.zero_one": zero_one,
    "shape.range": bounds,
    "shape.floordiv": bounds,
    "shape.eq": equal,
    "shape.ne": unequal,
    "shape.mod": divisible,
    "const.int_mod": divisible,
    "shape.divisible": divisible,
    "shape.storage_offset": storage_offset,
    "shape.stride": stride,
    "shape.exclusion": exclusion,
    "shape": condition,
}
