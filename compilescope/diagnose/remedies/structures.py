"""Remedies for containers and objects that did not fit."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from compilescope.diagnose.explain_identity import CALLABLES, class_name
from compilescope.diagnose.explain_words import Words, code, expression
from compilescope.diagnose.remedies import sizes
from compilescope.diagnose.remedies.catalogue import offer
from compilescope.diagnose.remedies.containers import keys, length
from compilescope.diagnose.remedies.tensors import always_pass

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from compilescope.diagnosis import Remedy


def contains(words: Words) -> list[Remedy]:
    """Membership."""
    if "__dict__" in words.failure.raw:
        return attribute(words)
    return [
        offer("fixed_keys", "Make the membership constant: always pass the same keys or elements"),
        sizes.warm_up("Or call it once with and once without the element at start-up"),
    ]


def range_value(words: Words) -> list[Remedy]:
    """Ranges."""
    del words
    return [
        offer(
            "compile_body",
            "Compile the body of the loop instead of the loop, and loop in eager code",
        ),
        sizes.warm_up("Or call it once with each length at start-up: one graph for each"),
    ]


def iterator(words: Words) -> list[Remedy]:
    """Iterators."""
    return [
        offer(
            "pass_list",
            f"Take the values from {words.name or 'the iterator'} outside and pass them",
        )
    ]


def default_factory(words: Words) -> list[Remedy]:
    """A defaultdict."""
    name = words.source.removesuffix(".default_factory")
    known = name.isidentifier()
    return [
        offer(
            "plain_container",
            f"Pass {code(name) if known else 'it'} as a plain dict",
            f"{name} = dict({name})" if known else "",
        )
    ]


def missing(words: Words) -> list[Remedy]:
    """Missing keys and indices."""
    if "environ" in words.failure.raw:
        return [offer("set_once", "Read the environment variable once, at import, into a constant")]
    owner, _, name = words.source.rpartition(".")
    if owner and name.isidentifier():
        text = f"Give every {code(owner)} a {code(name)}, set in `__init__`"
        warm = sizes.warm_up("Or call it once with and once without it at start-up")
        return [offer("set_in_init", text), warm]
    holder = words.source.partition("[")[0]
    text = f"Pass {code(holder) if holder else 'the container'} with the same keys every time"
    warm = sizes.warm_up("Or call it once with each set of keys at start-up: one graph for each")
    return [offer("fixed_keys", text), warm]


def attribute(words: Words) -> list[Remedy]:
    """Attributes that come and go."""
    text = expression(words.failure)
    found = re.search(r"hasattr\((.+?), '(\w+)'\)", text)
    inner = re.search(r"___dict_contains\('(\w+)', (.+?)\.__dict__\)", text)
    name = found[2] if found else (inner[1] if inner else "")
    subject = f"`{name}`" if name else "the attribute"
    return [
        offer(
            "set_in_init",
            f"Create {subject} in `__init__`, with a value of the kind that it will have later",
        )
    ]


def same_object(words: Words) -> list[Remedy]:
    """Identity."""
    subject = words.name or "the object"
    if class_name(words) in CALLABLES:
        return function_object(words)
    return [
        offer(
            "create_once", f"Create {subject} once, outside, and pass the same object to every call"
        ),
        offer(
            "compile_whole",
            "If it differs from layer to layer: compile the whole model, not each layer",
        ),
        sizes.warm_up("Or call it once with each object at start-up: one graph for each"),
    ]


def enum_member(words: Words) -> list[Remedy]:
    """Enum members."""
    subject = words.name or "the enum"
    return [
        sizes.warm_up(f"Call it once with each member of {subject} at start-up: one graph for each")
    ]


def function_object(words: Words) -> list[Remedy]:
    """Functions."""
    name = words.source.removesuffix(".__code__")
    subject = code(name) if name else "the function"
    if class_name(words) == "builtin_function_or_method":
        return [
            sizes.warm_up(f"Call it once with each {subject} at start-up: one graph for each"),
            offer("split_functions", f"Or compile a function of its own for each {subject}"),
        ]
    return [
        offer(
            "define_once", f"Define {subject} once at module level instead of anew for each call"
        ),
        sizes.warm_up("If there are several: call it once with each at start-up"),
    ]


def class_object(words: Words) -> list[Remedy]:
    """Classes and modules."""
    return [
        offer(
            "one_class",
            f"Pass one class for {words.name or 'the argument'}, or compile a function for each",
        ),
        sizes.warm_up("Or call it once with each class at start-up: one graph for each"),
    ]


def type_of(words: Words) -> list[Remedy]:
    """Classes of values."""
    found = re.search(r"type=<class '(?:\w+\.)*(\w+)'>", words.failure.raw)
    if "NoneType" in (words.observed, found and found[1]):
        return always_pass(words)
    if words.failure.kind == "type.module" and words.another_model:
        return sizes.own_caches(words)
    if words.source.isidentifier() and _is_layer(words):
        return [
            offer(
                "compile_whole",
                f"Compile what calls `{words.function or 'it'}` instead: one graph then holds all "
                "of them",
            ),
            sizes.warm_up("Or call it once with each class at start-up: one graph for each"),
        ]
    name = words.target
    builtin = found and found[1] in ("list", "tuple", "dict", "int", "float", "str", "set")
    return [
        offer(
            "one_class",
            f"Keep one class for {words.name or 'the value'} in every call",
            f"{name} = {found[1]}({name})" if builtin and name and found else "",
        ),
        sizes.warm_up("Or call it once with each class at start-up: one graph for each"),
    ]


def _is_layer(words: Words) -> bool:
    """Whether it is a module, or an object that the line calls like one."""
    called = re.search(rf"\b{re.escape(words.source)}\(", words.line) is not None
    return words.failure.kind == "type.module" or (words.failure.kind == "type.object" and called)


def module_structure(words: Words) -> list[Remedy]:
    """Children, parameters, buffers, hooks."""
    owner = re.sub(r"\._(?:\w+_)?hooks$", "", words.source)
    return [
        offer(
            "build_first",
            f"Finish building {code(owner) if owner else 'the module'} before the first compiled "
            "call",
        ),
        sizes.warm_up("Or, where modules differ for good, call each once at start-up"),
    ]


def module_missing(words: Words) -> list[Remedy]:
    """Modules that share code but not structure."""
    subject = words.name or "The parameter"
    return [
        offer("always_pass", f"Give every module {subject}: zeros where it is not needed"),
        offer(
            "isolate_recompiles",
            "Or give each module its own cache",
            sizes.compiled(words, "isolate_recompiles=True"),
        ),
        sizes.warm_up("Or call each module once at start-up: one graph for each"),
    ]


def aliases(words: Words) -> list[Remedy]:
    """Two names, one tensor."""
    raw = words.failure.raw
    names = re.findall(r'"([A-Za-z_]\w*)"', raw) if raw.startswith("Duplicate") else []
    if not raw.startswith(("Duplicate", "check_overlapping")):
        return [offer("distinct_inputs", "Make the first call with two different objects")]
    name = names[1] if len(names) > 1 else ""
    return [
        offer(
            "clone",
            f"Copy {code(name) if name else 'one of them'} before the call",
            f"{name} = {name}.clone()" if name else "",
        ),
        sizes.warm_up("Or make one call with and one without the shared tensor at start-up"),
    ]


def lifetime(words: Words) -> list[Remedy]:
    """Objects that died."""
    if "type(" in words.failure.raw:
        return [offer("define_once", "Define the class once at module level")]
    return [
        offer(
            "keep_alive",
            f"Keep {words.name or 'the object'} alive and pass the same one to every call",
        )
    ]


def unknown(words: Words) -> list[Remedy]:
    """Nothing is known: how to learn more."""
    del words
    return [
        offer(
            "verbose_log",
            "Run again with the verbose log, which shows more of what failed",
            "TORCH_LOGS=recompiles_verbose",
        )
    ]


REMEDIES: Mapping[str, Callable[[Words], list[Remedy]]] = {
    "container.len": length,
    "container.key": keys,
    "container.value": keys,
    "container.contains": contains,
    "container.set": contains,
    "container.range": range_value,
    "container.defaultdict": default_factory,
    "key": missing,
    "index": missing,
    "attr.missing": attribute,
    "attr.hasattr": attribute,
    "attr.not_present": attribute,
    "iter": iterator,
    "id": same_object,
    "id.function": function_object,
    "id.function_code": function_object,
    "id.class": class_object,
    "id.module": class_object,
    "module.id": same_object,
    "const.enum": enum_member,
    "type": type_of,
    "module.children": module_structure,
    "module.params": module_structure,
    "module.buffers": module_structure,
    "module.added": module_structure,
    "module.hooks": module_structure,
    "module.missing": module_missing,
    "module.param_none": module_missing,
    "alias": aliases,
    "lifetime": lifetime,
    "unknown": unknown,
}
