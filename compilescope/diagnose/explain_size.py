"""Why the size, the rank or the layout of a tensor did not fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.diagnose.explain_words import Words, listed

if TYPE_CHECKING:
    from compilescope.model import GuardFailure

_SPECIAL = ("0", "1")


def is_of_module(failure: GuardFailure) -> bool:
    """Whether the guard is on a parameter that it finds in a module."""
    return "._parameters[" in failure.source + failure.raw


def is_parameter(words: Words) -> bool:
    """Whether the guard is on a parameter, whose shape PyTorch keeps static."""
    return "Guard failed on a parameter" in words.failure.raw or is_of_module(words.failure)


def is_buffer(words: Words) -> bool:
    """Whether the guard is on a buffer of a module, whose shape PyTorch keeps static too."""
    return "._buffers[" in words.failure.source + words.failure.raw


def share_code(words: Words) -> bool:
    """Whether modules of several widths run the function that was compiled once."""
    of_several = words.evidence.another or words.evidence.instances
    return is_of_module(words.failure) and not of_several and not words.evidence.whole


def size(words: Words) -> str:
    """Sizes that were compiled as constants."""
    required, observed = words.required, words.observed
    subject = _subject(words)
    if not required:
        return f"{subject} came with another size than the one this graph was compiled for."
    fact = f"{subject} had {words.size(required)} when this graph was compiled"
    if observed:
        fact += (
            f"; {words.call} had {observed if words.failure.dimension is not None else 'another'}"
        )
    if is_parameter(words) and words.evidence.constant is not False:
        return f"{fact}. {_after_parameter(words)}"
    if is_buffer(words) and words.evidence.constant is not False:
        return f"{fact}. {_AFTER_BUFFER}"
    return f"{fact}. {_after_size(words, required, observed)}"


_AFTER_BUFFER = (
    "Shapes of buffers are constants to PyTorch, as those of parameters are: each new size is "
    "compiled, marked dynamic or not."
)


def _subject(words: Words) -> str:
    subject = words.name or "A tensor"
    if words.evidence.made_inside:
        subject += f", made before the graph break at line {words.resumed_at},"
    return subject


def _after_parameter(words: Words) -> str:
    if share_code(words):
        return (
            f"Modules of several widths share the code of `{words.function}`; the shapes of "
            "parameters are constants, so each width has a graph of its own."
        )
    return "Shapes of parameters are constants to PyTorch, so each new shape is compiled again."


def _after_size(words: Words, required: str, observed: str) -> str:
    if observed in _SPECIAL:
        return "PyTorch compiles sizes 0 and 1 separately, even when the dimension is dynamic."
    if required in _SPECIAL:
        return f"A graph that was compiled for size {required} serves no other size."
    if words.evidence.options.get("dynamic") == "False":
        return "With `dynamic=False` every size is compiled separately."
    if words.evidence.by_inductor:
        return (
            "Your code leaves it open, but inductor fixed it while it compiled, so each new size "
            "is compiled."
        )
    plain = [value for value in words.evidence.values if value not in _SPECIAL]
    if len(plain) > 2 and words.evidence.constant is not False:
        return f"It stayed a constant, so each new size was compiled: {listed(plain)}."
    if words.asked_dynamic:
        return "In spite of `dynamic=True` the dimension is a constant: the code fixes its size."
    if words.evidence.constant:
        return "The new graph has a fixed size too, so each further size is compiled."
    if words.crosses_break or words.evidence.made_inside:
        return "The break makes it an input of the next graph, where its size is guarded again."
    return "The first size is taken as a constant; from the second on, the dimension is dynamic."


def rank(words: Words) -> str:
    """The number of dimensions."""
    subject = _subject(words)
    if words.required and words.observed:
        fact = (
            f"{subject} had {_dimensions(words.required)} when this graph was compiled; "
            f"{words.call} had {words.observed}."
        )
    else:
        fact = f"{subject} came with another number of dimensions."
    return f"{fact} The number of dimensions is never dynamic: each has its own graph."


def _dimensions(number: str) -> str:
    return "1 dimension" if number == "1" else f"{number} dimensions"


def stride(words: Words) -> str:
    """The layout in memory."""
    subject = _subject(words)
    where = "" if words.failure.dimension is None else f" in dimension {words.failure.dimension}"
    if words.required and words.observed:
        fact = (
            f"{subject} had stride {words.required}{where} when this graph was compiled; "
            f"{words.call} had {words.observed}."
        )
    else:
        fact = f"{subject} lies differently in memory than when this graph was compiled."
    after = words.after()
    if after and after.shape and 0 in after.shape:
        return f"{fact} The tensor is empty, and empty tensors have strides of their own."
    return (
        f"{fact} A transpose, a slice or `channels_last` changes strides without changing values."
    )
