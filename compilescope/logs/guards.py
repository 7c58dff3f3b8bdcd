"""Guard-failure texts of any torch, read into typed values.

`parse_reason` reads one text; `split_reasons` finds the texts in the body of a record. How the
values are written: `required` is what the cached graph demands, `observed` what the call brought,
as far as the text says either. For relations of sizes, `source` and `dimension` are the first size
of the relation and `required` is the whole relation with sizes written `x.size(0)`. Where the kind
does not name the property (`tensor.numpy`, `global.tensor`, `module.param_shape`), `required` and
`observed` begin with it: `size 3`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from compilescope.logs import guard_text
from compilescope.logs.guard_kinds import KINDS
from compilescope.logs.guard_readers import Fields
from compilescope.logs.guard_rules import RULES, Rule
from compilescope.model import GuardFailure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from compilescope.logs.guard_text import Parts

__all__ = ["KINDS", "parse_reason", "split_reasons"]

_HEADER = re.compile(
    r"\s*(?:- )?\s*(?:Recompiling function .*|triggered by .*|guard \d+ failures:.*)?$"
)
_DASH = re.compile(r"^\s*- ")
_ENTRY_LINE = re.compile(r"^\s*(?:- )?\s*!?\d+(?:/\d+){1,2}(?:_\d+)?:(?: |$)")
_CONTINUES = re.compile(r"^\s*- (?:\s*User stack trace:|\s{2,}\S)")


def parse_reason(
    text: str,
    *,
    known_paths: Sequence[str] = (),
    torch: tuple[int, int] | None = None,
) -> GuardFailure:
    """One reason text as a guard failure; its kind is `unknown` where no rule knows the text.

    Args:
        text: The reason with or without `- `, entry id, padding, comment, hint and user stack.
        known_paths: Paths that the session knows, to repair the cut path of a comment.
        torch: The version that wrote the text, where known; its own rules are tried first.
    """
    parts = guard_text.take_apart(text, known_paths)
    fields = _match(parts, torch)
    hints = (*parts.hints, fields.hint) if fields.hint else parts.hints
    return GuardFailure(
        kind=fields.kind,
        raw=parts.raw,
        source=fields.source,
        dimension=fields.dimension,
        required=fields.required,
        observed=fields.observed,
        entry=parts.entry,
        frame=parts.frame,
        stack=parts.stack,
        hint="; ".join(hints),
    )


def _match(parts: Parts, torch: tuple[int, int] | None) -> Fields:
    for rule in _in_order(torch):
        match = rule.pattern.fullmatch(parts.code)
        if match is None:
            continue
        fields = rule.reader(rule.kind, match, parts)
        if fields is not None:
            return fields
    return Fields("unknown")


@lru_cache(maxsize=64)
def _in_order(torch: tuple[int, int] | None) -> tuple[Rule, ...]:
    """The rules of one version before the others, which a nightly or a backport may print."""
    if torch is None:
        return RULES
    valid = [r for r in RULES if r.since <= torch and (r.until is None or torch <= r.until)]
    return (*valid, *(rule for rule in RULES if rule not in valid))


def split_reasons(text: str) -> list[str]:
    """The reason texts of a record's body, each with its entry id and its user stack.

    Takes what follows `triggered by the following guard failure(s):`, of `recompiles` or
    `recompiles_verbose`, or the payload of a trace's `recompile_reasons`.
    """
    lines = text.splitlines()
    with_ids = any(_ENTRY_LINE.match(line) for line in lines)
    groups: list[list[str]] = []
    for line in lines:
        if _HEADER.match(line):
            continue
        starts = _ENTRY_LINE.match(line) if with_ids else _starts_without_id(line)
        if starts or not groups:
            groups.append([line])
        else:
            groups[-1].append(line)
    return [reason for group in groups for reason in _split_group("\n".join(group))]


def _starts_without_id(line: str) -> bool:
    return _DASH.match(line) is not None and _CONTINUES.match(line) is None


def _split_group(text: str) -> list[str]:
    first, newline, stack = text.partition("\n")
    parts = guard_text.split_joined(first)
    if len(parts) == 1:
        return [text]
    entry = guard_text.ENTRY.match(first)
    prefix = f"{entry['id']}: " if entry else ""
    tail = newline + stack
    return [parts[0] + tail, *(prefix + part + tail for part in parts[1:])]
