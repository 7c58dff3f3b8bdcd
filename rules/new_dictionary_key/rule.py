"""CS205: a dictionary that gets new keys in compiled code."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilescope.lint.calls import persists
from compilescope.lint.rule import Fact, Report, Rule, Severity, Versions
from compilescope.lint.surroundings import parents
from compilescope.lint.values import Value, contains_tensor


def knows(holder: Value, key: Value) -> bool:
    """Whether a dictionary has a key already."""
    return holder.kind == "dict" and any(k == key.data for k, _ in holder.data)


def starts_empty(owner: ast.expr, fact: Fact) -> bool:
    """Whether a method makes the dictionary of an attribute, and makes it empty."""
    function = fact.site.function
    if function is None or function.owner is None or not isinstance(owner, ast.Attribute):
        return False
    made = (getattr(node, "value", None) for _, node in function.owner.stored.get(owner.attr, ()))
    return any(isinstance(node, ast.Dict) and not node.keys for node in made)


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


def is_taken(target: ast.Subscript, fact: Fact) -> bool:
    """Whether the function takes the key out again."""
    own = ast.unparse(target.value)
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "pop"
        and ast.unparse(node.func.value) == own
        for node in parents(fact)
    )


def attribute_of_self(owner: ast.expr, fact: Fact) -> bool:
    """Whether the dictionary is kept on the object whose method this is."""
    function = fact.site.function
    if function is None or not isinstance(owner, ast.Attribute):
        return False
    arguments = function.node.args.posonlyargs + function.node.args.args
    this = arguments[0].arg if arguments and function.owner is not None else ""
    return isinstance(owner.value, ast.Name) and owner.value.id == this


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

    facts = ("store-index", "mutate")

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        if fact.value.note == "fresh":
            return
        if fact.key == "mutate":
            yield from self.of_method(fact)
            return
        target, _ = fact.extra
        if not isinstance(target, ast.Subscript) or fact.detail:
            return
        if fact.value.kind == "unknown" and fact.other.kind != "const":
            return
        if fact.value.kind not in ("dict", "unknown") or contains_tensor(fact.other):
            return
        owner = target.value
        if isinstance(owner, ast.Attribute):
            yield from self.of_attribute(fact, target)
        elif isinstance(owner, ast.Name) and argument_of_root(owner, fact):
            named = fact.other.kind == "const" and isinstance(fact.other.data, str)
            if named and not knows(fact.value, fact.other) and not is_read(target, fact):
                yield Report(f"a key is added to the argument `{owner.id}`", severity="bounded")

    def of_attribute(self, fact: Fact, target: ast.Subscript) -> Iterator[Report]:
        """`self.cache[key] = value`."""
        owner = target.value
        if fact.value.kind != "dict" or fact.other.kind not in ("number", "const", "string"):
            return
        if not attribute_of_self(owner, fact) or not persists(fact.frame, owner):
            return
        if fact.value.note is not None and not starts_empty(owner, fact):
            return  # it may have been filled with the same keys
        if knows(fact.value, fact.other) or is_read(target, fact):
            return
        if not is_taken(target, fact):
            new = fact.other.kind == "number" and fact.other.data != "loop"
            severity: Severity = "limit" if new else "bounded"  # else the same ones each time
            yield Report(f"a key is added to `{ast.unparse(owner)}`", severity=severity)

    def of_method(self, fact: Fact) -> Iterator[Report]:
        """`self.cache.update(key=value)` and `self.cache.setdefault(key, value)`."""
        receiver, kept = fact.extra
        if fact.value.kind != "dict" or not kept or fact.value.note is not None:
            return
        if fact.detail == "setdefault":
            keys = [v.data for v in fact.arguments[:1] if v.kind == "const"]
        else:
            given = [v for v in fact.arguments if v.kind == "dict"]
            keys = [*fact.keywords, *(key for v in given for key, _ in v.data)]
        known = {key for key, _ in fact.value.data}
        if fact.detail in ("update", "setdefault") and not known.issuperset(keys):
            yield Report(f"a key is added to `{ast.unparse(receiver)}`", severity="bounded")
