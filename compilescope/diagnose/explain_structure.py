"""Why a container or an object did not fit: lengths, keys, attributes, identity, aliases."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from compilescope.diagnose.explain_words import Words, as_written, code, expression, without_address

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_LENGTH = re.compile(r"^len\((.+)\) [!=]= (\d+)$")


def _number(count: str, noun: str) -> str:
    return f"{count} {noun}" + ("" if count == "1" else "s")


def length(words: Words) -> str:
    """The length of a list, tuple, deque, dict or set."""
    text = expression(words.failure)
    found = _LENGTH.match(text)
    subject = words.name or (code(found[1]) if found else "A container")
    if " != " in text or words.is_mapping:
        return _dict_length(words)
    if words.source == "args":
        return (
            f"`*args` received another number of arguments in {words.call} than when this graph "
            "was "
            "compiled. Each number of arguments has its own graph."
        )
    if re.match(r"^not [\w.\[\]'\"]+$", text):
        return empty(words)
    required = words.required if words.required.isdigit() else (found[2] if found else "")
    if not required:
        return f"{subject} has another length than when this graph was compiled. {_UNROLLED}"
    fact = f"{subject} had {_number(required, 'item')} when this graph was compiled"
    after = (
        f"{words.call} had {words.observed}"
        if words.observed.isdigit()
        else (f"{words.call} had another number")
    )
    if words.repeated:
        return f"{fact}; {after}. A length is never dynamic, so each new one is compiled."
    return f"{fact}; {after}. {_UNROLLED}"


_UNROLLED = "Containers are unrolled into the graph, so each length has its own."


def empty(words: Words) -> str:
    """A container that was empty at the compile."""
    subject = words.name or code(expression(words.failure).removeprefix("not "))
    return (
        f"{subject} was empty when this graph was compiled; in {words.call} it is not. "
        "If it grows with each call, each length is compiled."
    )


def keys(words: Words) -> str:
    """Keys of a dict."""
    raw = words.failure.raw
    if raw.startswith("KeyError"):
        return missing(words)
    if raw.startswith("len("):
        return _dict_length(words)
    found = re.match(r"^list\(dict\.keys\((.+?)\)\)\[(\d+)\] == (.+?)(?:\s{2,}#|$)", raw)
    if found:
        return (
            f"Key {found[2]} of {code(as_written(found[1]))} was {code(found[3])} when this graph "
            f"was compiled; {words.call} has another key there. The order of keys counts too."
        )
    return (
        f"{words.name or 'A dict'} has other keys, or the same in another order, than when this "
        "graph was compiled. Keys are part of the graph."
    )


def _dict_length(words: Words) -> str:
    found = _LENGTH.match(expression(words.failure))
    subject = words.name or (code(found[1]) if found else "A dict")
    count = found[2] if found else words.required
    was = f"had {_number(count, 'key')}" if count else "had another number of keys"
    now = f"has {words.observed}" if words.observed.isdigit() else "has another number"
    return (
        f"{subject} {was} when this graph was compiled; {words.call} {now}. "
        "The set of keys is part of the graph."
    )


def missing(words: Words) -> str:
    """A key, index, global or attribute that the graph reads and the call lacks."""
    found = re.match(r"^(KeyError|IndexError) on (\S+)", words.failure.raw)
    subject = code(as_written(found[2])) if found else words.name or "A value"
    if "environ" in words.failure.raw:
        variable = re.search(r"b'(\w+)'", words.failure.raw)
        subject = f"The environment variable `{variable[1]}`" if variable else subject
        if not words.failure.raw.startswith("KeyError"):
            return f"{subject} has another value than when this graph was compiled."
    return (
        f"{subject} existed when this graph was compiled and is missing in {words.call}. "
        "A graph needs everything that it read while it was traced."
    )


def contains(words: Words) -> str:
    """The outcome of an `in` test."""
    text = expression(words.failure)
    found = re.match(
        r"^(not )?(?:___dict_contains\((.+?), (.+)\)|set\.__contains__\((.+?), (.+)\))$", text
    )
    if not found:
        about = "The outcome of an `in` test is" if " in " in words.line else "Its members are"
        return (
            f"{words.name or 'A container'} no longer has the same members as when this graph was "
            f"compiled. {about} part of the graph."
        )
    member, holder = (found[2], found[3]) if found[2] else (found[5], found[4])
    if holder.endswith(".__dict__"):
        return attribute_appeared(words)
    state = "was not" if found[1] else "was"
    now = "is" if found[1] else "is not"
    return (
        f"{code(member)} {state} in {code(holder)} when this graph was compiled; in {words.call} "
        "it "
        f"{now}. The outcome of the `in` test is part of the graph."
    )


def attribute_appeared(words: Words) -> str:
    """An attribute that came after the compile."""
    text = expression(words.failure)
    found = re.search(r"hasattr\((.+?), '(\w+)'\)", text) or None
    if found:
        subject = f"{found[1]}.{found[2]}"
    else:
        inner = re.search(r"___dict_contains\('(\w+)', (.+?)\.__dict__\)", text)
        subject = f"{inner[2]}.{inner[1]}" if inner else ""
    what = code(subject) if subject else "An attribute"
    if not text.startswith("not "):
        return f"{what} existed when this graph was compiled and is missing in {words.call}."
    return (
        f"{what} did not exist when this graph was compiled; it was set before {words.call}. "
        "Whether an attribute exists is part of the graph."
    )


def attribute_missing(words: Words) -> str:
    """An attribute that is gone."""
    owner = words.name or "an object"
    return (
        f"An attribute of {owner} that this graph reads is missing in {words.call}. "
        "It was deleted, or the object is another one."
    )


def iterator(words: Words) -> str:
    """The state of an iterator argument."""
    subject = words.name or "An iterator"
    return (
        f"{subject} is an iterator and stood at another place, or ran over another length, when "
        "this "
        "graph was compiled. Its state is part of the graph."
    )


def range_value(words: Words) -> str:
    """A range argument."""
    found = re.match(r"^(\S+)\.(start|stop|step) == (-?\d+)", expression(words.failure))
    if not found:
        return iterator(words)
    return (
        f"{code(found[1])} had {found[2]} {found[3]} when this graph was compiled; {words.call} "
        "had "
        "another. A loop over it is unrolled, so each length can need its own graph."
    )


def default_factory(words: Words) -> str:
    """A defaultdict."""
    subject = code(words.source.removesuffix(".default_factory")) if words.source else "A dict"
    return (
        f"{subject} is a `defaultdict` with another default factory than when this graph was "
        "compiled. The factory is part of the graph."
    )


def contents(words: Words) -> str:
    """A container of constants."""
    required = words.required
    subject = words.name or "A container"
    was = f" was {code(required)} when this graph was compiled and" if required else ""
    return (
        f"{subject}{was} differs in {words.call}. "
        "A list, tuple, dict or set of constants is one constant of the graph."
    )


def registration(_: Words) -> str:
    """Pytree nodes."""
    return (
        "A pytree node type was registered or removed after this graph was compiled. "
        "The registry is part of the graph."
    )


def unclear(words: Words) -> str:
    """Text that no rule knows: said as it is."""
    text = without_address(expression(words.failure))
    if not text:
        return "PyTorch names a guard that compilescope does not know; its text is shown as logged."
    return f"A guard that compilescope does not know failed: {code(text)}."


SENTENCES: Mapping[str, Callable[[Words], str]] = {
    "container.len": length,
    "container.value": contents,
    "container.empty": empty,
    "container.key": keys,
    "container.keys": keys,
    "container.contains": contains,
    "container.set": contains,
    "container.range": range_value,
    "container.defaultdict": default_factory,
    "key.missing": missing,
    "index.missing": missing,
    "attr.hasattr": attribute_appeared,
    "attr.not_present": attribute_appeared,
    "attr.missing": attribute_missing,
    "iter": iterator,
    "pytree": registration,
    "unknown": unclear,
}
