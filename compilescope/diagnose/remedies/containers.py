"""Remedies for the length and the keys of containers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from compilescope.diagnose.explain_words import Words, expression
from compilescope.diagnose.remedies import sizes
from compilescope.diagnose.remedies.catalogue import offer

if TYPE_CHECKING:
    from compilescope.diagnosis import Remedy

_GROWS = re.compile(r"\.(append|extend|insert|appendleft)\(")


def length(words: Words) -> list[Remedy]:
    """Lengths."""
    name, subject = words.variable, words.name or "the container"
    text = expression(words.failure)
    if " != " in text or words.is_mapping:
        return keys(words)
    warm = sizes.warm_up("Or call it once with each length at start-up: one graph for each")
    if name and name == (words.evidence.variadic or "args"):
        same = "Call it with the same number of positional arguments every time"
        return [offer("fixed_length", same), warm]
    if _GROWS.search(words.line) or text.startswith("not "):
        return _growing(words, subject)
    fixed_length = offer("fixed_length", f"Pass {subject} with the same number of items every time")
    signature = offer(
        "fixed_signature",
        f"Give the function parameters of their own for what it needs of {subject}, and let the "
        "caller keep the rest",
    )
    shapes = {item.shape for item in words.items()}
    snippet = f"{name} = torch.stack(list({name}))" if name else ""
    if len(shapes) == 1 and str(len(words.items())) == words.required:
        one = f"The items of {subject} are tensors of one shape: pass them as one stacked tensor"
        return [offer("stack", one, snippet), fixed_length, warm]
    if not words.evidence.before:
        perhaps = f"If {subject} holds tensors of one shape: pass them as one stacked tensor"
        return [signature, offer("stack", perhaps, snippet), fixed_length, warm]
    return [signature, fixed_length, warm]


def _growing(words: Words, subject: str) -> list[Remedy]:
    outside = f"Append to {subject} outside the compiled function, which returns the new item"
    room = f"If {subject} holds tensors of one shape: write into one preallocated tensor instead"
    found = [offer("append_outside", outside), offer("preallocate", room)]
    if not _GROWS.search(words.line):
        fixed = f"Pass {subject} with the same number of items every time"
        return [offer("fixed_length", fixed), *found]
    return found


def keys(words: Words) -> list[Remedy]:
    """Keys."""
    subject = words.name or "the dict"
    found = []
    if words.source and re.search(rf"\b{re.escape(words.source)}\[[^\]]+\]\s*=[^=]", words.line):
        text = f"Return the new values in a dict of their own instead of writing them to {subject}"
        found.append(offer("own_dict", text))
    return [
        *found,
        offer("fixed_keys", f"Pass {subject} with the same keys in the same order every time"),
        sizes.warm_up("Or call it once with each set of keys at start-up: one graph for each"),
    ]
