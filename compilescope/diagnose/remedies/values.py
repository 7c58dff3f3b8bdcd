"""Remedies for plain Python values that did not fit."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from compilescope import wording
from compilescope.diagnose.explain_value import from_global, needs_value
from compilescope.diagnose.explain_words import Words, code
from compilescope.diagnose.remedies import numbers, sizes, tensors
from compilescope.diagnose.remedies.catalogue import offer
from compilescope.diagnose.uses import Use, use

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from compilescope.diagnosis import Remedy

INT = re.compile(r"^-?\d+$")
FLOAT = re.compile(r"^-?[\d.]+(e[+-]?\d+)?$|^-?(inf|nan)$")


def as_tensor(words: Words) -> Remedy:
    """The number as a 0-d tensor."""
    name, subject = words.variable, words.name or "the number"
    value = words.required if from_global(words) and words.required else name
    # An item of a tuple or of a `torch.Size` cannot be assigned.
    settable = name and not (name.endswith("]") and words.failure.kind != "module.dict_attr")
    return offer(
        "pass_as_tensor",
        wording.USE_0D.format(subject),
        f"{name} = torch.tensor({value})" if settable else "",
    )


def _tensor_for(words: Words) -> list[Remedy]:
    """The number as a tensor, as far as the line can take one."""
    if words.source.endswith(".item()"):  # it comes from one, which PyTorch reads
        return []
    used = use(words)
    if used is Use.NUMBER:
        return numbers.python_number(words)
    if used is Use.BRANCH:
        text = "Or decide outside: choose in eager code between functions that are each compiled"
        return [offer("split_functions", text)]
    return [as_tensor(words)]


_SIZE = (
    r"\.(?:view|reshape|expand|repeat|narrow|split|new_\w+)\("
    r"|\b(?:arange|zeros|ones|empty|full|randn?|range)\("
)


def is_size(words: Words) -> bool:
    """Whether the user's line takes the number as a size, which a tensor cannot be."""
    name = words.source.rpartition(".")[2].partition("[")[0]
    word = re.escape(name)
    after = rf"(?:{_SIZE})[^)]*\b{word}\b|\[[^\]]*(?::[^\]]*\b{word}\b|\b{word}\b[^\]]*:)"
    return bool(name) and re.search(after, words.line) is not None


def integer(words: Words) -> list[Remedy]:
    """Ints."""
    if needs_value(words):
        return _needed(words)
    if (used := use(words)) is Use.CONSTANT:
        return numbers.steering(words, used)
    if from_global(words):
        return global_value(words)
    found = [] if words.crosses_break else sizes.dynamic_true(words)
    if not is_size(words) and used in (Use.VALUE, Use.NUMBER):
        found += _tensor_for(words)
    return found + ([] if words.crosses_break else sizes.dynamic_sources(words))


def _needed(words: Words) -> list[Remedy]:
    frame = words.failure.frame
    line = frame.code if frame else ""
    warm = sizes.warm_up("Call it once with each value at start-up: one graph for each")
    if re.match(r"\s*(for|while)\b", line):
        return [
            offer(
                "compile_body",
                "Compile the body of the loop instead of the loop, and loop in eager code",
            ),
            warm,
        ]
    return [
        offer(
            "split_functions",
            "Decide outside: choose in eager code between functions that are each compiled",
        ),
        warm,
    ]


def int_range(words: Words) -> list[Remedy]:
    """Conditions over symbolic numbers."""
    if "isnan" in words.failure.raw:
        return [as_tensor(words)]
    if words.failure.kind == "const.float_range" and words.variable and _is_plain(words):
        return [as_tensor(words), *_needed(words)]
    return _needed(words)


def _is_plain(words: Words) -> bool:
    """Whether the line is known, and is no branch on the number."""
    return bool(words.line) and use(words) is Use.VALUE


def int_mod(words: Words) -> list[Remedy]:
    """Divisibility of a number."""
    return _needed(words)


def floating(words: Words) -> list[Remedy]:
    """Floats."""
    used = use(words)
    if used is Use.NUMBER and words.evidence.constant is not False:
        return _tensor_for(words)
    if needs_value(words):
        frame = words.failure.frame
        called = re.search(r"\bmath\.(\w+)\(", frame.code if frame else "")
        text = (
            f"Use `torch.{called[1]}` on a tensor instead of `math.{called[1]}`"
            if called
            else ("Do this arithmetic with torch functions on a tensor")
        )
        return [as_tensor(words), offer("tensor_math", text)]
    if words.evidence.constant and words.evidence.options.get("dynamic") != "False":
        # It was symbolic until the code asked for the number, as with `dynamic=True` it would be.
        symbolic = []
    else:
        symbolic = sizes.dynamic_true(words)
    found = [*_tensor_for(words), *symbolic]
    if used in (Use.BRANCH, Use.NUMBER):
        found = [*symbolic, *_tensor_for(words)]
    if words.evidence.constant and used is Use.VALUE and not words.repeated:
        found.insert(0, numbers.each_value(words))
    if words.evidence.torch and words.evidence.torch < (2, 6):
        found.append(
            offer(
                "specialize_float",
                "Let floats become symbolic, before the first compile",
                "torch._dynamo.config.specialize_float = False",
            )
        )
    return [item for item in found if not (words.crosses_break and item.id == "dynamic_true")]


def number(words: Words) -> list[Remedy]:
    """NaN, complex: constants unless they are tensors."""
    return [as_tensor(words)]


def enumerable(words: Words) -> list[Remedy]:
    """Few values, each with its own graph."""
    subject = words.name or "the value"
    return [
        sizes.warm_up(f"Call it once with each value of {subject} at start-up: one graph for each"),
        offer(
            "split_functions",
            f"Or decide outside, so that {subject} does not enter the compiled function",
        ),
    ]


def text_value(words: Words) -> list[Remedy]:
    """Strings."""
    both = enumerable(words)
    return both[::-1] if len(words.evidence.values) > 4 else both


def none(words: Words) -> list[Remedy]:
    """None."""
    return tensors.always_pass(words)


def one_type(words: Words) -> list[Remedy]:
    """Int and float mixed, or subclasses."""
    name, required = words.variable, words.required
    target = (
        "float"
        if words.failure.kind == "type.scalar"
        else ("str" if required[:1] in "'\"" and required else "int")
    )
    return [
        offer(
            "one_type",
            f"Convert {words.name or 'the value'} to one type before the call",
            f"{name} = {target}({name})" if name else "",
        )
    ]


def by_value(words: Words) -> list[Remedy]:
    """By what the value is."""
    required = words.required
    if from_global(words):
        return global_value(words)
    if INT.match(required):
        return integer(words)
    if FLOAT.match(required):
        return floating(words)
    return enumerable(words)


def global_value(words: Words) -> list[Remedy]:
    """Globals."""
    if not (INT.match(words.required) or FLOAT.match(words.required)):
        return [
            offer("set_once", f"Set {words.name or 'the global'} before the first call"),
            *enumerable(words),
        ]
    counts = re.search(rf"\b{re.escape(words.source)}\s*[-+]=", words.line)
    outside = offer("count_outside", f"Change {words.name} outside the compiled function")
    return [
        *([outside] if counts and words.source else []),
        as_tensor(words),
        offer("pass_as_argument", f"Or pass {words.name or 'the global'} as an argument"),
    ]


def global_function(words: Words) -> list[Remedy]:
    """Functions in globals."""
    return [
        offer(
            "set_once",
            f"Replace {words.name or 'the global function'} before the first call, or never",
        ),
    ]


def default_argument(words: Words) -> list[Remedy]:
    """Defaults."""
    subject = re.match(r"^(\w[\w.]*)\.__", words.source)
    return [
        offer(
            "define_once",
            f"Define {code(subject[1]) if subject else 'the function'} once and pass the value "
            "as an argument",
        ),
        offer("pass_as_tensor", "Or make the default a tensor"),
    ]


def partial(words: Words) -> list[Remedy]:
    """functools.partial."""
    return [
        offer("pass_as_tensor", "Bind a tensor instead of a number in `functools.partial`"),
        *sizes.dynamic_true(words),
    ]


def closure(words: Words) -> list[Remedy]:
    """Captured variables."""
    found = by_value(words)
    return [
        *found,
        offer("pass_as_argument", f"Or pass {words.name or 'the value'} as an argument"),
    ]


REMEDIES: Mapping[str, Callable[[Words], list[Remedy]]] = {
    "const.int": integer,
    "const.int_in_container": integer,
    "const.size": integer,
    "const.slice": integer,
    "const.int_zero_one": integer,
    "const.int_range": int_range,
    "const.int_mod": int_mod,
    "const.float": floating,
    "const.float_range": int_range,
    "const.nan": number,
    "const.complex": number,
    "const.complex_nan": number,
    "const.str": text_value,
    "const.none": none,
    "const.subclass": one_type,
    "type.scalar": one_type,
    "const": enumerable,
    "attr.partial": partial,
    "attr.defaults": default_argument,
    "attr.environ": enumerable,
    "global": global_value,
    "global.function": global_function,
    "closure": closure,
}
