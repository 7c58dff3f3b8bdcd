"""Why an object did not fit: identity, class, aliases, the structure of a module."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from compilescope.diagnose.explain_words import Words, an, as_written, code, expression

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_CLASS = re.compile(r"type=<class '([^']+)'>")


CALLABLES = ("builtin_function_or_method", "function", "method", "code")


def class_name(words: Words) -> str:
    """The class that the guard text names, without its module."""
    found = _CLASS.search(words.failure.raw)
    return found[1].rpartition(".")[2] if found else ""


def same_object(words: Words) -> str:
    """Identity of an object."""
    kind = class_name(words)
    subject = words.name or "An object"
    if kind in CALLABLES:
        return function_object(words)
    described = f" (`{kind}`)" if kind and kind != "type" else ""
    return (
        f"{subject}{described} is another object than the one this graph was compiled with. "
        "An equal one does not do: the graph is tied to that very object."
    )


def function_object(words: Words) -> str:
    """Identity of a function or its code."""
    subject = code(words.source.removesuffix(".__code__")) if words.source else "A function"
    return (
        f"{subject} is another function than when this graph was compiled. "
        "The body of a called function is part of the graph."
    )


def class_object(words: Words) -> str:
    """Identity of a class, module or builtin."""
    return (
        f"{words.name or 'A class'} is another class than when this graph was compiled. "
        "Each class passed in has its own graph."
    )


def type_of(words: Words) -> str:
    """The class of a value."""
    kind = class_name(words)
    subject = words.name or "A value"
    was = f"was {an(kind)}" if kind else "had another class"
    observed = words.observed if words.observed.isidentifier() else ""
    if observed == "NoneType":
        return (
            f"{subject} {was} when this graph was compiled; {words.call} had `None`. "
            "With and without it are two graphs."
        )
    now = f"had {an(observed)}" if observed else "has another class there"
    return (
        f"{subject} {was} when this graph was compiled; {words.call} {now}. "
        "Each class needs a graph of its own."
    )


def module_children(words: Words) -> str:
    """Submodules, parameters or buffers came or went."""
    subject = words.name or "The module"
    return (
        f"{subject} has other submodules, parameters or buffers than when this graph was compiled. "
        "The structure of a module is part of the graph."
    )


def module_missing(words: Words) -> str:
    """A parameter or buffer is missing or None."""
    subject = words.name or "A parameter or buffer"
    return (
        f"{subject} is there in one case and missing or `None` in the other. "
        "Modules that share code but not structure need a graph each."
    )


def module_hooks(words: Words) -> str:
    """Hooks of a module."""
    owner = re.sub(r"\._(?:\w+_)?hooks$", "", words.source)
    return (
        f"The hooks of {code(owner) if owner else 'a module'} changed after this graph was "
        "compiled. "
        "Hooks are traced into the graph."
    )


def aliases(words: Words) -> str:
    """Two names, one tensor."""
    raw = words.failure.raw
    if raw.startswith("Duplicate"):
        names = re.findall(r'"([^"]+)"', raw)
        pair = " and ".join(code(as_written(name)) for name in names[:2])
        return (
            f"{pair or 'Two inputs'} are the same tensor in {words.call}; they were two tensors "
            "when "
            "this graph was compiled. The graph assumes that they do not alias."
        )
    if "check_overlapping" in raw:
        return (
            "Inputs that overlap in memory and are written to overlap differently than when this "
            "graph was compiled. The graph relies on which of them share memory."
        )
    pair_of = re.match(r"^(\S+) is (\S+)", expression(words.failure))
    both = " and ".join(code(one) for one in pair_of.groups()) if pair_of else "Two inputs"
    return (
        f"{both} were one and the same object when this graph was compiled; in {words.call} they "
        "are "
        "two. The graph has only one input for both."
    )


SENTENCES: Mapping[str, Callable[[Words], str]] = {
    "id": same_object,
    "id.function": function_object,
    "id.function_code": function_object,
    "id.class": class_object,
    "type": type_of,
    "module.id": same_object,
    "module.children": module_children,
    "module.params": module_children,
    "module.buffers": module_children,
    "module.added": module_children,
    "module.missing": module_missing,
    "module.param_none": module_missing,
    "module.hooks": module_hooks,
    "alias": aliases,
    "script": type_of,
}
