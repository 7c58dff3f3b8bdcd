"""The installed rules, from every pack, and what is known of each code."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from compilescope import packs
from compilescope.errors import CompilescopeError
from compilescope.lint.own_codes import OWN_CODES
from compilescope.lint.result import RuleInfo
from compilescope.lint.rule import Rule

if TYPE_CHECKING:
    from types import ModuleType


@cache
def rules() -> dict[str, Rule]:
    """Every rule by its code.

    Raises:
        CompilescopeError: two packs use one code.
    """
    found: dict[str, Rule] = {}
    for pack in packs.rule_packs():
        for folder in _folders(pack):
            module = import_module(f"{pack.__name__}.{folder.name}.rule")
            for rule in _rules_in(module):
                if rule.code in found:
                    raise CompilescopeError(
                        f"two rules have the code {rule.code}",
                        cause=f"`{found[rule.code].name}` and `{rule.name}`",
                    )
                found[rule.code] = rule
    return dict(sorted(found.items()))


def folder_of(rule: Rule) -> Path:
    """The folder with the rule's examples and README."""
    module = import_module(type(rule).__module__)
    return Path(module.__file__ or "").parent


def names() -> dict[str, str]:
    """Each code and the name of its rule, with those that `lint` itself reports."""
    listed = {code: rule.name for code, rule in rules().items()}
    return dict(sorted((listed | {own.code: own.name for own in OWN_CODES.values()}).items()))


def infos() -> dict[str, RuleInfo]:
    """What formats say about each code."""
    found = {code: RuleInfo(code, rule.name, rule.summary) for code, rule in rules().items()}
    own = {o.code: RuleInfo(o.code, o.name, o.summary) for o in OWN_CODES.values()}
    return found | own


def default_codes(*, pedantic: bool) -> frozenset[str]:
    """The codes that are on where nothing selects."""
    on = {code for code, rule in rules().items() if pedantic or not rule.pedantic}
    return frozenset(on | OWN_CODES.keys())


def identity() -> str:
    """A digest that changes when a rule or the engine does."""
    state = hashlib.blake2b(digest_size=16)
    places = [
        Path(__file__).parent,
        *(Path(path) for p in packs.rule_packs() for path in p.__path__),
    ]
    for place in places:
        for path in sorted(place.rglob("*.py")):
            found = path.stat()
            state.update(f"{path}\0{found.st_size}\0{found.st_mtime_ns}\0".encode())
    return state.hexdigest()


def _folders(pack: ModuleType) -> list[Path]:
    return sorted(
        Path(place) / folder.name
        for place in pack.__path__
        for folder in Path(place).iterdir()
        if (folder / "rule.py").is_file()
    )


def _rules_in(module: ModuleType) -> list[Rule]:
    return [
        value()
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, Rule)
        and value.__module__ == module.__name__
        and isinstance(getattr(value, "code", None), str)
    ]
