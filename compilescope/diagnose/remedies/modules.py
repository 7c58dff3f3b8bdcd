"""Remedies for the state of modules and optimizers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from compilescope import wording
from compilescope.diagnose.explain_value import from_global, needs_value
from compilescope.diagnose.explain_words import Words
from compilescope.diagnose.remedies import numbers, sizes, values
from compilescope.diagnose.remedies.catalogue import offer, otherwise
from compilescope.diagnose.remedies.values import FLOAT, INT, by_value
from compilescope.diagnose.uses import Use, use

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from compilescope.diagnosis import Remedy

_POSITION = re.compile(r"(idx|index|_id|layer|depth|rank)$")


def module_int(words: Words) -> list[Remedy]:
    """Ints on modules."""
    attribute_name = words.variable.rpartition(".")[2]
    allow = offer(
        "allow_unspec_int",
        "Let ints on modules become symbolic, before the first compile",
        "torch._dynamo.config.allow_unspec_int_on_nn_module = True",
    )
    if (steered := use(words)) in (Use.LOOP, Use.BRANCH, Use.CONSTANT):
        return numbers.steering(words, steered)
    whole = offer(
        "compile_whole",
        "Compile the whole model instead of each layer, so that layers do not share a cache",
    )
    if _POSITION.search(attribute_name):
        parent = offer(
            "pass_from_parent",
            f"Look up by {words.name} in the parent and pass the result down",
        )
        looked_up = re.search(rf"\[[^\]]*\.{attribute_name}\b|\.{attribute_name} in ", words.line)
        return [parent, whole] if looked_up else [whole, parent]
    of_object = words.failure.kind.startswith("attr.")
    if of_object and needs_value(words):
        return numbers.steering(words, steered)
    # A tensor as a size or as the bound of a slice breaks the graph.
    tensor = [] if values.is_size(words) else [_buffer(words)]
    if of_object:
        return [*tensor, *sizes.dynamic_true(words)]
    # A method that is compiled in its class serves every module of that class.
    shared = [whole] if words.evidence.no_module and words.source.startswith("self.") else []
    return [*tensor, *shared, allow]


def _buffer(words: Words) -> Remedy:
    several = bool(words.evidence.instances)
    name = words.variable
    owner, _, last = name.rpartition(".")
    value = words.required if INT.match(words.required) or FLOAT.match(words.required) else "0"
    entry = words.failure.entry
    later = bool(entry) and not entry.endswith("/0")
    if later:
        value = "start"  # a later graph's value is not what the program begins with
    if words.failure.kind.startswith("attr."):
        text = f"Hold {words.name or 'the number'} in a tensor and update it in place"
        return offer("pass_as_tensor", text, f"{name} = torch.tensor({value})" if name else "")
    if words.evidence.instances and last.isidentifier():
        value = last
    snippet = ""
    if words.own_line and f"self.{last}" in words.line and last.isidentifier():
        snippet = f'self.register_buffer("{last}", torch.tensor({value}), persistent=False)'
    elif owner.isidentifier() and last.isidentifier():
        snippet = f'{owner}.register_buffer("{last}", torch.tensor({value}), persistent=False)'
    elif (name and last.isidentifier()) or name:
        snippet = f"{name} = torch.tensor({value})"
    if snippet and "torch.tensor(start)" in snippet:
        snippet += "  # start: what it is now set to"
    return offer(
        "buffer",
        wording.USE_BUFFER.format(words.name or "the number")
        + (", so that instances differ only in tensors" if several else wording.USE_IN_PLACE),
        snippet,
    )


def module_float(words: Words) -> list[Remedy]:
    """Floats on modules."""
    if use(words) is Use.NUMBER and not (words.evidence.constant and words.another_model):
        return values.floating(words)
    if words.evidence.constant and words.another_model:
        return sizes.own_caches(words)
    if words.evidence.constant:
        return [found for found in values.floating(words) if found.id != "pass_as_tensor"] + [
            _buffer(words)
        ]
    return [_buffer(words), *sizes.dynamic_true(words)]


def module_flag(words: Words) -> list[Remedy]:
    """Flags and strings on modules."""
    if words.another_model:
        return sizes.own_caches(words)
    subject = words.name or "the flag"
    fixed = f"Set {subject} before the first call and leave it"
    warm = f"Call it once with each value of {subject} at start-up: one graph for each"
    if words.evidence.no_module and words.source.startswith("self."):
        # A method that is compiled in its class serves every module of that class.
        whole = (
            f"Or, where each module has a {subject} of its own, compile the whole model: one graph "
            "then holds all of them"
        )
        return [
            sizes.warm_up(warm),
            offer("compile_whole", whole),
            offer("fixed_attribute", otherwise(fixed)),
        ]
    return [offer("fixed_attribute", fixed), sizes.warm_up(otherwise(warm))]


def module_attribute(words: Words) -> list[Remedy]:
    """Any attribute of a module."""
    if INT.match(words.required):
        return module_int(words)
    if FLOAT.match(words.required):
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
        sizes.warm_up(
            "Call it once after `train()` and once after `eval()` at start-up: two graphs are right"
        ),
        offer(
            "split_functions",
            "Or keep the module in one mode and compile a second copy for the other",
        ),
    ]


def optimizer(words: Words) -> list[Remedy]:
    """Optimizers."""
    if "len(" in words.failure.raw:
        return [
            sizes.warm_up("Run two optimizer steps at start-up: the first one creates the state")
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
        sizes.warm_up("Run two steps at start-up: after the first change the number is symbolic")
    ]


def attribute(words: Words) -> list[Remedy]:
    """Attributes of plain objects."""
    if INT.match(words.required) and words.repeated and not from_global(words):
        return module_int(words)
    return by_value(words)


REMEDIES: Mapping[str, Callable[[Words], list[Remedy]]] = {
    "attr.object": attribute,
    "attr.class": attribute,
    "module.int_attr": module_int,
    "module.dict_attr": module_attribute,
    "module.float_attr": module_float,
    "module.bool_attr": module_flag,
    "module.str_attr": module_flag,
    "module.attr": module_attribute,
    "module.training": training,
    "optimizer": optimizer,
}
