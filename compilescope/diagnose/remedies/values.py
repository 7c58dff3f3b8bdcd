"""Remedies for plain Python values that did not fit."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from compilescope.diagnose.explain_value import from_global, needs_value
from compilescope.diagnose.explain_words import Words, code
from compilescope.diagnose.remedies import tensors
from compilescope.diagnose.remedies.catalogue import offer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from compilescope.diagnosis import Remedy

_INT = re.compile(r"^-?\d+$")
_FLOAT = re.compile(r"^-?[\d.]+(e[+-]?\d+)?$|^-?(inf|nan)$")
_POSITION = re.compile(r"(idx|index|_id|layer|depth|rank)$")


def as_tensor(words: Words) -> Remedy:
    """The number as a 0-d tensor."""
    name, subject = words.variable, words.name or "the number"
    return offer(
        "pass_as_tensor",
        f"Hold {subject} in a 0-dimensional tensor",
        f"{name} = torch.tensor({name})" if name else "",
    )


def integer(words: Words) -> list[Remedy]:
    """Ints."""
    if needs_value(words):
        return _needed(words)
    if from_global(words):
        return global_value(words)
    found = [] if words.crosses_break else tensors.dynamic_true(words)
    found.append(as_tensor(words))
    return found + ([] if words.crosses_break else tensors.dynamic_sources(words))


def _needed(words: Words) -> list[Remedy]:
    frame = words.failure.frame
    line = frame.code if frame else ""
    warm = tensors.warm_up("Call it once with each value at start-up: one graph for each")
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
    return _needed(words)


def int_mod(words: Words) -> list[Remedy]:
    """Divisibility of a number."""
    return _needed(words)


def floating(words: Words) -> list[Remedy]:
    """Floats."""
    if needs_value(words):
        frame = words.failure.frame
        called = re.search(r"\bmath\.(\w+)\(", frame.code if frame else "")
        text = f"Use `torch.{called[1]}` on a tensor instead of `math.{called[1]}`" if called else (
            "Do this arithmetic with torch functions on a tensor"
        )  # fmt: skip
        return [as_tensor(words), offer("tensor_math", text)]
    found = [as_tensor(words), *tensors.dynamic_true(words)]
    if words.repeated and not from_global(words):
        found.append(
            offer(
                "specialize_float",
                "Make sure that floats may become symbolic",
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
        tensors.warm_up(
            f"Call it once with each value of {subject} at start-up: one graph for each"
        ),
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
    """int and float mixed, or subclasses."""
    name, required = words.variable, words.required
    target = "float" if words.failure.kind == "type.scalar" else (
        "str" if required[:1] in "'\"" and required else "int"
    )  # fmt: skip
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
    if _INT.match(required):
        return integer(words)
    if _FLOAT.match(required):
        return floating(words)
    return enumerable(words)


def attribute(words: Words) -> list[Remedy]:
    """Attributes of plain objects."""
    if _INT.match(words.required) and words.repeated and not from_global(words):
        return module_int(words)
    return by_value(words)


def global_value(words: Words) -> list[Remedy]:
    """Globals."""
    if not (_INT.match(words.required) or _FLOAT.match(words.required)):
        return [
            offer("set_once", f"Set {words.name or 'the global'} before the first call"),
            *enumerable(words),
        ]
    return [
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


def module_int(words: Words) -> list[Remedy]:
    """Ints on modules."""
    attribute_name = words.variable.rpartition(".")[2]
    allow = offer(
        "allow_unspec_int",
        "Let ints on modules become symbolic, before the first compile",
        "torch._dynamo.config.allow_unspec_int_on_nn_module = True",
    )
    if _POSITION.search(attribute_name):
        return [
            offer(
                "compile_whole",
                "Compile the whole model instead of each layer, so that layers do not share a cache",
            ),
            offer(
                "pass_from_parent",
                f"Or look up by {words.name} in the parent and pass the result down",
            ),
        ]
    return [_buffer(words), allow]


def _buffer(words: Words) -> Remedy:
    name = words.variable
    owner, _, last = name.rpartition(".")
    value = words.required if _INT.match(words.required) or _FLOAT.match(words.required) else "0"
    snippet = ""
    if owner.isidentifier() and last.isidentifier():
        snippet = f'{owner}.register_buffer("{last}", torch.tensor({value}), persistent=False)'
    elif name and last.isidentifier():
        snippet = f"{name} = torch.tensor({value})"
    return offer(
        "buffer",
        f"Hold {words.name or 'the number'} in a tensor buffer and update it in place",
        snippet,
    )


def module_float(words: Words) -> list[Remedy]:
    """Floats on modules."""
    return [_buffer(words), *tensors.dynamic_true(words)]


def module_flag(words: Words) -> list[Remedy]:
    """Flags and strings on modules."""
    subject = words.name or "the flag"
    return [
        offer("fixed_attribute", f"Set {subject} before the first call and leave it"),
        tensors.warm_up(
            f"Or call it once with each value of {subject} at start-up: one graph for each"
        ),
    ]


def module_attribute(words: Words) -> list[Remedy]:
    """Any attribute of a module."""
    if _INT.match(words.required):
        return module_int(words)
    if _FLOAT.match(words.required):
        return module_float(words)
    if _POSITION.search(words.variable.rpartition(".")[2]):
        return [
            item for item in module_int(words) if item.id in ("pass_from_parent", "compile_whole")
        ]
    return module_flag(words)


def training(words: Words) -> list[Remedy]:
    """train() and eval()."""
    del words
    return [
        tensors.warm_up(
            "Call it once after `train()` and once after `eval()` at start-up: two graphs are right"
        ),
        offer(
            "split_functions",
            "Or keep the module in one mode and compile a second copy for the other",
        ),
    ]


def default_argument(words: Words) -> list[Remedy]:
    """Defaults."""
    subject = re.match(r"^(\w[\w.]*)\.__", words.source)
    return [
        offer(
            "define_once",
            f"Define {code(subject[1]) if subject else 'the function'} once and pass the value as an argument",
        ),
        offer("pass_as_tensor", "Or make the default a tensor"),
    ]


def partial(words: Words) -> list[Remedy]:
    """functools.partial."""
    return [
        offer("pass_as_tensor", "Bind a tensor instead of a number in `functools.partial`"),
        *tensors.dynamic_true(words),
    ]


def closure(words: Words) -> list[Remedy]:
    """Captured variables."""
    found = by_value(words)
    return [
        *found,
        offer("pass_as_argument", f"Or pass {words.name or 'the value'} as an argument"),
    ]


def optimizer(words: Words) -> list[Remedy]:
    """Optimizers."""
    if "len(" in words.failure.raw:
        return [
            tensors.warm_up("Run two optimizer steps at start-up: the first one creates the state")
        ]
    if "'lr'" in words.failure.raw:
        return [
            offer(
                "tensor_lr",
                "Make the learning rate a tensor, before the scheduler is created",
                'for group in optimizer.param_groups:\n    group["lr"] = torch.tensor(group["lr"])',
            )
        ]
    return [
        tensors.warm_up("Run two steps at start-up: after the first change the number is symbolic")
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
    "attr.object": attribute,
    "attr.class": attribute,
    "attr.partial": partial,
    "attr.defaults": default_argument,
    "attr.environ": enumerable,
    "global": global_value,
    "global.function": global_function,
    "closure": closure,
    "module.int_attr": module_int,
    "module.dict_attr": module_attribute,
    "module.float_attr": module_float,
    "module.bool_attr": module_flag,
    "module.str_attr": module_flag,
    "module.attr": module_attribute,
    "module.training": training,
    "optimizer": optimizer,
}
