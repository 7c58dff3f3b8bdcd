"""From the command line and the configuration to the settings of one `lint`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import msgspec

from compilescope import config
from compilescope.commands.lint_options import Options, listed
from compilescope.errors import InputError, UsageError
from compilescope.lint import registry
from compilescope.lint.files import project_root
from compilescope.lint.formats import NAMES
from compilescope.lint.settings import Keys, Layer, Settings, resolve
from compilescope.lint.target import target_versions


class Plan(msgspec.Struct, frozen=True):
    """What is to be done, all defaults filled in."""

    options: Options
    keys: Keys
    settings: Settings
    paths: tuple[Path, ...]
    config: Path | None
    baseline: Path | None
    root: Path  # of the project, where the cache is
    stdin: str | None  # the name of what comes from there


def plan(options: Options) -> Plan:
    """What the options and the configuration ask for.

    Raises:
        UsageError: options that do not go together, or unknown rules.
        InputError: a configuration that cannot be used.
    """
    _check(options)
    stdin = _stdin_name(options)
    paths = options.paths or (Path(),)
    start = Path(stdin) if stdin else _common(paths)
    found = _config(options, start)
    root = found.root if found.path else project_root(start)
    keys = _merge(config.convert(found, "lint", Keys), options)
    if keys.output_format not in NAMES:
        raise InputError(
            f"unknown output-format `{keys.output_format}` in {found.path}",
            hint=f"one of: {', '.join(NAMES)}",
        )
    target_versions(keys.target_torch)
    command = Layer(
        listed(options.select) if options.select else None,
        listed(options.ignore),
        listed(options.extend_select),
    )
    settings = resolve(
        keys, root, registry.names(), registry.default_codes(pedantic=keys.pedantic), command
    )
    return Plan(
        options=options,
        keys=keys,
        settings=settings,
        paths=paths,
        config=found.path,
        baseline=options.baseline or (root / keys.baseline if keys.baseline else None),
        root=root,
        stdin=stdin,
    )


def _check(options: Options) -> None:
    pairs = [
        ("--update-baseline", "--fix", options.update_baseline and options.fix),
        ("--add-noqa", "--add-ignore", options.add_noqa and options.add_ignore),
        ("--add-noqa", "--fix", (options.add_noqa or options.add_ignore) and options.fix),
        ("--config", "--isolated", options.config is not None and options.isolated),
        ("--watch", "--fix", options.watch and (options.fix or options.diff)),
    ]
    for one, other, both in pairs:
        if both:
            raise UsageError(f"{one} and {other} cannot be combined")


def _stdin_name(options: Options) -> str | None:
    if Path("-") in options.paths:
        if len(options.paths) > 1:
            raise UsageError("`-` cannot be combined with other paths")
        return options.stdin_filename or "-"
    if options.stdin_filename is not None and options.paths:
        raise UsageError("--stdin-filename needs the path `-`", hint="lint --stdin-filename NAME -")
    return options.stdin_filename


def _common(paths: tuple[Path, ...]) -> Path:
    try:
        return Path(os.path.commonpath([os.path.abspath(path) for path in paths]))
    except ValueError:  # on two drives
        return Path.cwd()


def _config(options: Options, start: Path) -> config.Config:
    if options.isolated:
        return config.Config()
    if options.config is not None:
        return config.read(options.config)
    return config.find(Path(os.path.abspath(start)))


def _merge(keys: Keys, options: Options) -> Keys:
    """The configuration's keys with what the command line says instead or besides."""
    changes: dict[str, Any] = {}
    for name in (
        "respect_gitignore",
        "force_exclude",
        "target_torch",
        "pedantic",
        "unsafe_fixes",
        "output_format",
        "cache_dir",
    ):
        value = getattr(options, name)
        if value is not None:
            changes[name] = value
    if options.exclude:
        changes["exclude"] = listed(options.exclude)
    ignores = {name: list(codes) for name, codes in keys.per_file_ignores.items()}
    pattern = ""
    for pair in listed(options.per_file_ignores):
        head, colon, codes = pair.rpartition(":")
        pattern = head if colon else pattern
        if not pattern:
            raise UsageError(f"`{pair}` has no pattern", hint="write GLOB:CODE")
        ignores.setdefault(pattern, []).append(codes)
    return msgspec.structs.replace(
        keys,
        **changes,
        per_file_ignores=ignores,
        extend_exclude=[*keys.extend_exclude, *listed(options.extend_exclude)],
        compiled=[*keys.compiled, *options.compiled],
    )
