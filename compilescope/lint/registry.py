"""The installed rules, from every pack, and what is known of each code."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from compilescope.lint.own_codes import OWN_CODES
from compilescope.lint.result import RuleInfo
from compilescope.lint.rule_table import Known, table
from compilescope.lint.target import target_versions

if TYPE_CHECKING:
    from compilescope.lint.rule import Rule
    from compilescope.lint.settings import Settings


@cache
def rules() -> dict[str, Rule]:
    """Every installed rule by its code.

    Raises:
        CompilescopeError: two packs use one code.
    """
    from compilescope.lint.loader import load_rules

    return {kind.code: kind() for kind in load_rules()}


def known() -> dict[str, Known]:
    """What lists and selectors need of every installed rule, by its code."""
    return {rule.code: rule for rule in table(_folders, _described).rules}


def described(rule: Rule) -> Known:
    """A rule as lists and selectors need it."""
    return Known(rule.code, rule.name, rule.summary, rule.since, rule.until, rule.pedantic)


def _described() -> list[Known]:
    return [described(rule) for rule in rules().values()]


def _folders() -> list[str]:
    from compilescope import packs

    return [os.path.abspath(path) for pack in packs.rule_packs() for path in pack.__path__]


def active_codes(settings: Settings) -> frozenset[str]:
    """The codes that the engine looks for under `settings`: whose absence means something."""
    first, last = target_versions(settings.target_torch)
    return frozenset(
        code
        for code, rule in known().items()
        if rule.since <= last and rule.until >= first and (settings.pedantic or not rule.pedantic)
    )


def names() -> dict[str, str]:
    """Each code and the name of its rule, with those that `lint` itself reports."""
    listed = {code: rule.name for code, rule in known().items()}
    return dict(sorted((listed | {own.code: own.name for own in OWN_CODES.values()}).items()))


def infos() -> dict[str, RuleInfo]:
    """What formats say about each code."""
    found = {code: RuleInfo(code, rule.name, rule.summary) for code, rule in known().items()}
    own = {o.code: RuleInfo(o.code, o.name, o.summary) for o in OWN_CODES.values()}
    return found | own


def default_codes(*, pedantic: bool) -> frozenset[str]:
    """The codes that are on where nothing selects."""
    on = {code for code, rule in known().items() if pedantic or not rule.pedantic}
    return frozenset(on | OWN_CODES.keys())


def record(rule: Rule) -> dict[str, Any]:
    """A rule as `compilescope rules --format json` shows it."""
    return {
        "code": rule.code,
        "name": rule.name,
        "summary": rule.summary,
        "severity": rule.severity,
        "certainty": rule.certainty,
        "fix": rule.fixable or None,
        "torch": {"since": _dotted(rule.since), "until": _dotted(rule.until)},
        "gb_ids": list(rule.gb_ids),
        "pedantic": rule.pedantic,
        "reason": rule.reason,
        "help": rule.help,
        "readme": readme(rule),
    }


def readme(rule: Rule) -> str:
    """What the rule's folder says about it, without the heading that names it."""
    from compilescope.lint.loader import rule_folder

    try:
        text = (Path(rule_folder(type(rule))) / "README.md").read_text(encoding="utf-8")
    except OSError:
        said = [f"{rule.summary}.", rule.reason, rule.help and f"Instead: {rule.help}."]
        return "\n\n".join(part for part in said if part)
    head, _, rest = text.lstrip().partition("\n")
    return rest.strip() if head.startswith("# ") else text.strip()


def torch_range(rule: Rule) -> str:
    """The versions that the rule holds for; "" for all that are supported."""
    since, until = _dotted(rule.since), _dotted(rule.until)
    if since and until:
        return since if since == until else f"{since} to {until}"
    return f"from {since}" if since else f"until {until}" if until else ""


def _dotted(version: tuple[int, int]) -> str | None:
    from compilescope.lint.versions import NEWEST, OLDEST

    if version <= OLDEST or version[0] > NEWEST[0] + 1:
        return None
    return f"{version[0]}.{version[1]}"


def identity() -> str:
    """A digest that changes when a rule or the engine does."""
    return table(_folders, _described).identity


def installed_torch() -> str:
    """The version of torch beside which lint runs; "" where there is none."""
    return table(_folders, _described).torch
