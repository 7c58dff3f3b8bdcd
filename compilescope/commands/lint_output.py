"""What `lint` prints and how it exits."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from compilescope.errors import ExitCode, InputError
from compilescope.lint.formats import FOR_PEOPLE, Style, render
from compilescope.lint.own_codes import UNSILENCEABLE
from compilescope.lint.result import SEVERITIES
from compilescope.lint.spans import split_lines

if TYPE_CHECKING:
    from compilescope.commands.lint_settings import Plan
    from compilescope.lint.fixing import Corrected
    from compilescope.lint.result import LintResult
    from compilescope.lint.run import Inputs


def style_for(plan: Plan, stream: TextIO) -> Style:
    """Colours where a person looks, the width of the terminal where there is one."""
    chosen = plan.options.color
    if chosen == "auto":
        forced = os.environ.get("FORCE_COLOR", "") not in ("", "0")
        plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
        color = forced or (stream.isatty() and not plain)
    else:
        color = chosen == "always"
    known = stream.isatty() or "COLUMNS" in os.environ
    width = shutil.get_terminal_size((100, 24)).columns if known else 100
    return Style(color and not plan.options.output_file, width, plan.keys.unsafe_fixes)


def show(result: LintResult, plan: Plan, stream: TextIO) -> None:
    """Print the findings in the format that was asked for."""
    name, style = plan.keys.output_format, style_for(plan, stream)
    if plan.options.statistics:
        text = _statistics(result, style, machine=name.startswith("json"))
    elif plan.options.quiet and name in FOR_PEOPLE:
        text = _without_summary(result, name, style)
    else:
        text = render(name, result, style)
    if name not in FOR_PEOPLE:
        for met in result.missed:  # these formats have no place for what is no finding
            place = f"{met.path}:{met.line}"
            narrate(f"note: met in the run, not seen in the source: {place}: {met.what}", plan)
    if plan.options.output_file is None:
        stream.write(text)
        return
    try:
        plan.options.output_file.write_text(text, encoding="utf-8")
    except OSError as error:
        cause = error.strerror or str(error)
        raise InputError(f"cannot write {plan.options.output_file}", cause=cause) from error


def exit_code(result: LintResult, plan: Plan) -> ExitCode:
    """1 where there are findings that count, or something was fixed and that counts."""
    if plan.options.exit_zero:
        return ExitCode.CLEAN
    if result.fixed and plan.options.exit_non_zero_on_fix:
        return ExitCode.FINDINGS
    limit = SEVERITIES.index(plan.options.fail_on)
    counted = any(
        f.code in UNSILENCEABLE or SEVERITIES.index(f.severity) <= limit for f in result.findings
    )
    return ExitCode.FINDINGS if counted else ExitCode.CLEAN


def show_diff(corrected: Corrected, before: Inputs, plan: Plan) -> ExitCode:
    """Print what the corrections would change; 1 where that is anything."""
    from difflib import unified_diff

    style = style_for(plan, sys.stdout)
    colours = {"+": 32, "-": 31, "@": 36}
    for path in sorted(corrected.changed):
        old, new = before.sources[path].content(), corrected.sources[path].content()
        for line in unified_diff(split_lines(old), split_lines(new), path, path):
            ended = line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
            colour = colours.get(line[0])
            sys.stdout.write(style.paint(ended.rstrip("\n"), colour) + "\n" if colour else ended)
    number = sum(corrected.fixed.values())
    narrate(f"Would fix {number} finding{'' if number == 1 else 's'}.", plan)
    return ExitCode.FINDINGS if corrected.changed and not plan.options.exit_zero else ExitCode.CLEAN


def narrate(text: str, plan: Plan) -> None:
    """Say something beside the results."""
    if not plan.options.quiet:
        sys.stdout.flush()
        print(text, file=sys.stderr)


def show_settings(plan: Plan) -> None:
    """Print what is in force."""
    settings = plan.settings
    print(f"config          {plan.config or 'none'}")
    print(f"root            {settings.root}")
    print(f"target-torch    {settings.target_torch or 'the installed one'}")
    print(f"compiled        {', '.join(settings.compiled) or 'what the sources compile'}")
    print(f"pedantic        {str(settings.pedantic).lower()}")
    print(f"baseline        {plan.baseline or 'none'}")
    print(f"exclude         {', '.join(settings.exclude)}")
    print(f"rules           {', '.join(sorted(settings.codes))}")
    for pattern, codes in settings.per_file_ignores:
        print(f"ignored         {', '.join(sorted(codes))} in {pattern}")


def _statistics(result: LintResult, style: Style, *, machine: bool) -> str:
    from compilescope.lint.formats.summary import statistics, statistics_json

    return statistics_json(result) if machine else statistics(result, style)


def _without_summary(result: LintResult, name: str, style: Style) -> str:
    from dataclasses import replace

    from compilescope.lint.formats.summary import summary

    bare = replace(result, fixed={}, hidden=0, gone=0, joined="")
    text, closing = render(name, bare, style), summary(bare, style)
    return text.removesuffix(closing)


def stdout_bytes(data: bytes) -> None:
    """Write a corrected program to stdout exactly as a file would hold it."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def files_shown(paths: list[Path]) -> str:
    """One path a line."""
    return "".join(f"{os.path.abspath(path)}\n" for path in paths)
