"""CS205: a dictionary that gets new keys in compiled code."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Severity, Versions
from compilescope.lint.surroundings import parents
from compilescope.lint.values import contains_tensor


def known_key(fact: Fact) -> bool:
    """Whether the dictionary has the key already."""
    return fact.value.kind == "dict" and any(k == fact.other.data for k, _ in fact.value.data)


def is_read(target: ast.Subscript, fact: Fact) -> bool:
    """Whether the function reads the item before: then the dictionary comes with it."""
    wanted = ast.unparse(target)
    return any(
        isinstance(node, ast.Subscript)
        and isinstance(node.ctx, ast.Load)
        and node.lineno <= (fact.node.end_lineno or 0)  # type: ignore[attr-defined]
        and ast.unparse(node) == wanted
        for node in parents(fact)
    )


def attribute_of_self(owner: ast.Attribute, fact: Fact) -> bool:
    """Whether the dictionary is kept on the object whose method this is."""
    function = fact.site.function
    if function is None or not isinstance(owner.value, ast.Name):
        return False
    arguments = function.node.args.posonlyargs + function.node.args.args
    return bool(arguments) and function.owner is not None and owner.value.id == arguments[0].arg


def argument_of_root(owner: ast.Name, fact: Fact) -> bool:
    """Whether the dictionary is an argument of the compiled callable."""
    function = fact.site.function
    if function is None or not fact.site.root:
        return False
    return owner.id in {a.arg for a in (*function.node.args.posonlyargs, *function.node.args.args)}


class NewDictionaryKey(Rule):
    """A dictionary that gets new keys in compiled code."""

    code = "CS205"
    name = "new-dictionary-key"
    summary = "a dictionary that gets new keys in compiled code"
    severity = "limit"
    reason = "The keys of a dictionary are guarded; with a new key the next call does not match."
    help = "return the value, or create all keys beforehand"

    facts = ("store-index",)

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        target, _ = fact.extra
        if not isinstance(target, ast.Subscript) or fact.value.note == "fresh":
            return
        if fact.detail or is_read(target, fact):
            return
        if fact.value.kind == "unknown" and fact.other.kind != "const":
            return
        if fact.value.kind not in ("dict", "unknown") or contains_tensor(fact.other):
            return
        owner = target.value
        if isinstance(owner, ast.Attribute):
            kept = fact.value.kind == "dict" and attribute_of_self(owner, fact)
            if kept and not known_key(fact) and fact.other.kind in ("number", "const"):
                severity: Severity = "limit" if fact.other.kind == "number" else "bounded"
                yield Report(f"a key is added to `{ast.unparse(owner)}`", severity=severity)
        elif isinstance(owner, ast.Name) and argument_of_root(owner, fact):
            named = fact.other.kind == "const" and isinstance(fact.other.data, str)
            if named and not known_key(fact):
                yield Report(f"a key is added to the argument `{owner.id}`", severity="bounded")
