"""`compilescope explain`: what a rule finds, why it matters and what to write instead."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from compilescope.lint.rule import Rule

_GB = re.compile(r"(?:GB)?(\d{4})\Z", re.IGNORECASE)


@click.command()
@click.argument("code", metavar="CODE")
def command(code: str) -> None:
    """Explain a rule: CS101, its name, or a graph-break id of PyTorch such as GB0170."""
    from compilescope.lint import registry
    from compilescope.lint.own_codes import OWN_CODES

    rules = registry.rules()
    wanted = code.strip()
    by_name = {rule.name: key for key, rule in rules.items()}
    by_name |= {own.name: own.code for own in OWN_CODES.values()}
    key = by_name.get(wanted.lower(), wanted.upper())
    gb_id = _GB.match(wanted)
    if key in rules:
        _explain(rules[key])
    elif key in OWN_CODES:
        own = OWN_CODES[key]
        _print(f"# {own.code} {own.name}\n\n{own.summary}.\n\n{own.text}")
    elif gb_id:
        _explain_break(f"GB{gb_id[1]}", rules)
    else:
        raise _unknown(wanted)


def _explain(rule: Rule) -> None:
    from compilescope.lint.registry import readme

    facts = [f"- **{label}:** {text}" for label, text in _facts(rule) if text]
    _print("\n".join([f"# {rule.code} {rule.name}", "", *facts, "", readme(rule)]))


def _facts(rule: Rule) -> list[tuple[str, str]]:
    from compilescope.lint.registry import torch_range
    from compilescope.lint.result import CONSEQUENCES

    fixes = {"safe": "`--fix`", "unsafe": "`--fix --unsafe-fixes`", "": "by hand"}
    return [
        ("Consequence", CONSEQUENCES.get(rule.severity, "")),
        ("Fix", fixes.get(rule.fixable, "")),
        ("torch", torch_range(rule)),
        ("PyTorch's ids", ", ".join(rule.gb_ids)),
        ("Only with", "`--pedantic`" if rule.pedantic else ""),
    ]


def _explain_break(gb_id: str, rules: dict[str, Rule]) -> None:
    from compilescope.errors import UsageError

    covering = [rule for rule in rules.values() if gb_id in rule.gb_ids]
    if not covering:
        raise UsageError(
            f"no rule covers {gb_id}",
            cause="what it depends on cannot be told from source, or no rule was written yet",
            hint="`compilescope probe` shows where a run meets it",
        )
    if len(covering) == 1:
        _explain(covering[0])
        return
    lines = [f"- **{rule.code} {rule.name}:** {rule.summary}" for rule in covering]
    _print("\n".join([f"# {gb_id}", "", "Rules that find it in source:", "", *lines]))


def _unknown(wanted: str) -> Exception:
    from compilescope.errors import UsageError
    from compilescope.lint import registry
    from compilescope.lint.settings import suggestion

    return UsageError(f"unknown rule `{wanted}`", hint=suggestion(wanted, registry.names()))


def _print(markdown: str) -> None:
    import os
    import sys

    from rich.console import Console

    from compilescope.commands.plain_markdown import PlainMarkdown

    known = sys.stdout.isatty() or "COLUMNS" in os.environ
    console = Console(width=None if known else 100, highlight=False)
    with console.capture() as captured:
        console.print(PlainMarkdown(markdown, code_theme="ansi_dark"))
    print("\n".join(line.rstrip() for line in captured.get().splitlines()))
