"""`compilescope rules`: what lint can find."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from compilescope.lint.rule import Rule
    from compilescope.lint.selftest import Verdict


@click.command()
@click.argument("selectors", nargs=-1, metavar="[RULES]...")
@click.option("--format", "form", type=click.Choice(["text", "json", "markdown"]), default="text")
@click.option("--selftest", is_flag=True, help="Run the examples on the installed torch.")
@click.option("--python", metavar="PATH", help="With --selftest: the interpreter that has torch.")
@click.pass_context
def command(
    ctx: click.Context, selectors: tuple[str, ...], form: str, python: str | None, *, selftest: bool
) -> None:
    """List the rules: all, or those that RULES select (CS101, CS2, data-dependent-branch)."""
    from compilescope.lint import registry
    from compilescope.lint.settings import expand

    rules = registry.rules()
    names = registry.names()
    chosen = {code for name in selectors for code in expand(name, names)} if selectors else rules
    listed = [rule for code, rule in rules.items() if code in chosen]
    if not listed:
        raise _not_a_rule(sorted(chosen))
    if selftest:
        ctx.exit(_selftest(listed, python, form))
    if form == "json":
        import msgspec

        records = [registry.record(rule) for rule in listed]
        print(msgspec.json.format(msgspec.json.encode(records), indent=2).decode())
    elif form == "markdown":
        print(_markdown(listed))
    else:
        _table(listed)


def _not_a_rule(codes: list[str]) -> Exception:
    """For codes that lint itself reports: no rule folder is behind them."""
    from compilescope.errors import UsageError

    said = ", ".join(codes)
    return UsageError(
        f"no rule to list: {said}",
        cause="lint itself reports it, about a file or a comment" if codes else "",
        hint=f"`compilescope explain {codes[0]}` tells more" if codes else "",
    )


def _markdown(rules: list[Rule]) -> str:
    fixes = {"safe": "safe", "unsafe": "unsafe", "": ""}
    lines = ["| code | name | what it finds | fix |", "|---|---|---|---|"]
    for rule in rules:
        summary = rule.summary.replace("|", "\\|")
        lines.append(f"| {rule.code} | {rule.name} | {summary} | {fixes.get(rule.fixable, '')} |")
    return "\n".join(lines)


def _table(rules: list[Rule]) -> None:
    import os
    import sys

    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    from compilescope.lint.registry import torch_range

    marks = {"safe": "safe", "unsafe": "unsafe", "": ""}
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("code", style="bold", no_wrap=True)
    table.add_column("name", no_wrap=True)
    table.add_column("fix", no_wrap=True)
    table.add_column("what it finds", ratio=1)
    for rule in rules:
        versions = torch_range(rule)
        summary = f"{rule.summary} (torch {versions})" if versions else rule.summary
        table.add_row(rule.code, rule.name, marks.get(rule.fixable, ""), summary)
    known = sys.stdout.isatty() or "COLUMNS" in os.environ
    console = Console(width=None if known else 100, highlight=False)
    with console.capture() as captured:
        console.print(table)
    print("\n".join(line.rstrip() for line in captured.get().splitlines()))
    print(f"\n{len(rules)} rules; `compilescope explain CODE` tells more.")


def _selftest(rules: list[Rule], python: str | None, form: str) -> int:
    from compilescope.lint.selftest import selftest
    from compilescope.probe.interpreter import choose

    verdicts = selftest(rules, choose(python))
    if form == "json":
        import msgspec

        print(msgspec.json.format(msgspec.json.encode(verdicts), indent=2).decode())
    else:
        _show_verdicts(verdicts)
    return int(any(verdict.status == "fails" for verdict in verdicts))


def _show_verdicts(verdicts: list[Verdict]) -> None:
    from collections import Counter

    from compilescope.lint.selftest import STATUSES

    for verdict in verdicts:
        if verdict.status in ("fails", "cannot run"):
            print(f"{verdict.code} {verdict.name}: {verdict.why}")
    torch = next((verdict.torch for verdict in verdicts if verdict.torch), "")
    counts = Counter(verdict.status for verdict in verdicts)
    said = ", ".join(f"{counts[status]} {status}" for status in STATUSES if counts[status])
    where = f" on torch {torch}" if torch else ""
    print(f"{len(verdicts)} rules{where}: {said or 'nothing to run'}.")
