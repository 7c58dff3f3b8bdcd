"""The options of `compilescope lint`, named as ruff names them, and their values."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from compilescope.lint.formats import NAMES
from compilescope.lint.result import SEVERITIES

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.decorators import FC


class Options(msgspec.Struct, frozen=True):
    """The command line of one `lint`."""

    paths: tuple[Path, ...]
    select: tuple[str, ...]
    ignore: tuple[str, ...]
    extend_select: tuple[str, ...]
    per_file_ignores: tuple[str, ...]
    exclude: tuple[str, ...]
    extend_exclude: tuple[str, ...]
    respect_gitignore: bool | None
    force_exclude: bool | None
    config: Path | None
    isolated: bool
    target_torch: str | None
    compiled: tuple[str, ...]
    pedantic: bool | None
    fix: bool
    unsafe_fixes: bool | None
    diff: bool
    add_noqa: bool
    add_ignore: bool
    baseline: Path | None
    update_baseline: bool
    session: Path | None
    output_format: str | None
    output_file: Path | None
    statistics: bool
    quiet: bool
    color: str
    exit_zero: bool
    exit_non_zero_on_fix: bool
    fail_on: str
    stdin_filename: str | None
    watch: bool
    no_cache: bool
    cache_dir: str | None
    show_files: bool
    show_settings: bool


_FILE = click.Path(path_type=Path)
_RULES: Any = {"metavar": "RULES", "multiple": True}
_GLOB: Any = {"metavar": "GLOB", "multiple": True}

_OPTIONS = [
    click.argument("paths", nargs=-1, type=_FILE, metavar="[PATHS]..."),
    click.option("--select", **_RULES, help="Only these: codes, prefixes as CS1, names, ALL."),
    click.option("--ignore", **_RULES, help="Not these."),
    click.option("--extend-select", **_RULES, help="These as well."),
    click.option("--per-file-ignores", **_RULES, help="GLOB:RULES, not these in files that match."),
    click.option("--target-torch", metavar="VERSION", help="2.13, 2.11..2.13; default: installed."),
    click.option("--compiled", metavar="NAME", multiple=True, help="Compiled from elsewhere."),
    click.option("--pedantic/--no-pedantic", default=None, help="What is only possible, too."),
    click.option("--fix", is_flag=True, help="Make the safe corrections."),
    click.option(
        "--unsafe-fixes/--no-unsafe-fixes", default=None, help="And those that change behaviour."
    ),
    click.option("--diff", is_flag=True, help="Print what --fix would change, change nothing."),
    click.option("--add-noqa", is_flag=True, help="Write `# noqa: CODE` at every finding."),
    click.option("--add-ignore", is_flag=True, help="Write `# compilescope: ignore[CODE]` there."),
    click.option("--baseline", type=_FILE, metavar="FILE", help="Only what FILE does not list."),
    click.option("--update-baseline", is_flag=True, help="Write all findings to the baseline."),
    click.option("--session", type=_FILE, metavar="FILE", help="Say what each cost in this run."),
    click.option("--output-format", "--format", type=click.Choice(NAMES), help="Default: full."),
    click.option("-o", "--output-file", type=_FILE, metavar="FILE", help="Write to FILE."),
    click.option("--statistics", is_flag=True, help="Only how many of each rule."),
    click.option("-q", "--quiet", is_flag=True, help="Only the findings, no closing lines."),
    click.option(
        "--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True
    ),
    click.option("-e", "--exit-zero", is_flag=True, help="Exit with 0, whatever is found."),
    click.option("--exit-non-zero-on-fix", is_flag=True, help="Exit with 1 if anything was fixed."),
    click.option(
        "--fail-on",
        type=click.Choice(SEVERITIES),
        default=SEVERITIES[-1],
        show_default=True,
        help="Exit with 1 only for findings at least as bad.",
    ),
    click.option("--exclude", **_GLOB, help="Instead of the default exclusions."),
    click.option("--extend-exclude", **_GLOB, help="Besides them."),
    click.option("--respect-gitignore/--no-respect-gitignore", default=None),
    click.option(
        "--force-exclude/--no-force-exclude", default=None, help="Exclude even files named here."
    ),
    click.option("--stdin-filename", metavar="NAME", help="The name of what `-` reads."),
    click.option("-w", "--watch", is_flag=True, help="Lint again whenever a file changes."),
    click.option("--config", type=_FILE, metavar="FILE", help="Instead of the one found upwards."),
    click.option("--isolated", is_flag=True, help="Read no configuration."),
    click.option("-n", "--no-cache", is_flag=True, help="Neither read nor write the cache."),
    click.option("--cache-dir", metavar="FOLDER"),
    click.option("--show-files", is_flag=True, help="List the files that would be linted."),
    click.option("--show-settings", is_flag=True, help="Print the settings in force."),
]


def lint_options(function: FC) -> FC:
    """All options of `lint`, in the order of its help."""
    decorate: Callable[[FC], FC]
    for decorate in reversed(_OPTIONS):
        function = decorate(function)
    return function


def listed(values: tuple[str, ...]) -> list[str]:
    """What an option holds that may be given several times, or once with commas."""
    return [part.strip() for value in values for part in value.split(",") if part.strip()]
