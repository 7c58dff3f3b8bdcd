"""Rules, found in the folders of the installed packs."""

from __future__ import annotations

import importlib
import os
from functools import lru_cache

from compilescope.errors import CompilescopeError
from compilescope.lint.rule import Rule
from compilescope.packs import rule_packs


@lru_cache(maxsize=1)
def load_rules() -> tuple[type[Rule], ...]:
    """Every installed rule, by code.

    Raises:
        CompilescopeError: two rules have one code.
    """
    found: dict[str, type[Rule]] = {}
    for pack in rule_packs():
        for folder in pack.__path__:
            for name in sorted(os.listdir(folder)):
                if os.path.isfile(os.path.join(folder, name, "rule.py")):
                    _load(f"{pack.__name__}.{name}.rule", found)
    return tuple(found[code] for code in sorted(found))


def _load(name: str, found: dict[str, type[Rule]]) -> None:
    module = importlib.import_module(name)
    for value in vars(module).values():
        if isinstance(value, type) and issubclass(value, Rule) and value.__module__ == name:
            if value.code in found:
                other = found[value.code].__module__
                raise CompilescopeError(
                    f"rule code {value.code} is used twice", cause=f"{name} and {other}"
                )
            found[value.code] = value


def rule_folder(rule: type[Rule]) -> str:
    """The folder with the rule's examples and README."""
    module = importlib.import_module(rule.__module__)
    return os.path.dirname(os.path.abspath(module.__file__ or ""))
