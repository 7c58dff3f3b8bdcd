"""What `compilescope lint` does, from paths to a result; it prints nothing."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from compilescope.lint import registry
from compilescope.lint.annotate import Form, annotated
from compilescope.lint.check import check, located, unreadable_finding
from compilescope.lint.files import discover
from compilescope.lint.fixing import Corrected, Corrector
from compilescope.lint.result import LintResult
from compilescope.lint.source import Unreadable, from_bytes, read, write

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from compilescope.lint.check import Checked, Engine
    from compilescope.lint.settings import Settings
    from compilescope.lint.source import Source
    from compilescope.lint.spans import Edit
    from compilescope.model import Finding


@dataclass(frozen=True)
class Inputs:
    """The files to lint, read."""

    sources: dict[str, Source] = field(default_factory=dict)  # by the path that is shown
    unreadable: tuple[Finding, ...] = ()
    raw: bytes = b""  # what came on stdin and could not be read

    def __len__(self) -> int:
        return len(self.sources) + len(self.unreadable)


def gather(paths: Sequence[Path], settings: Settings) -> Inputs:
    """Read the files at and below `paths`.

    Raises:
        InputError: a path does not exist.
    """
    sources, unreadable = {}, []
    for path in discover(paths, settings):
        name = shown(path)
        try:
            sources[name] = read(path)
        except Unreadable as error:
            unreadable.append(unreadable_finding(name, str(error)))
    return Inputs(sources, tuple(unreadable))


def from_stdin(data: bytes, name: str) -> Inputs:
    """The program that came on stdin, under the name that it has on disk."""
    try:
        return Inputs({name: from_bytes(Path(name), data)})
    except Unreadable as error:
        return Inputs({}, (unreadable_finding(name, str(error)),), data)


def lint(inputs: Inputs, settings: Settings, engine: Engine) -> LintResult:
    """The findings in `inputs`."""
    checked = check(inputs.sources, settings, engine, registry.active_codes(settings))
    return _result(inputs, inputs.sources, checked)


def lint_and_correct(
    inputs: Inputs, settings: Settings, engine: Engine, *, unsafe: bool
) -> tuple[LintResult, Corrected]:
    """The findings that are left when the others are corrected, and the corrected sources."""
    active = registry.active_codes(settings)

    def again(sources: Mapping[str, Source]) -> Checked:
        return check(sources, settings, engine, active)

    corrected = Corrector(registry.rules()).run(inputs.sources, again, unsafe=unsafe)
    return _result(inputs, corrected.sources, corrected.checked, corrected.fixed), corrected


def annotate(result: LintResult, form: Form) -> tuple[int, list[str]]:
    """Write a suppression at every finding: how many, and the files that could not be written."""
    added, failed = 0, []
    for path, source in result.sources.items():
        mine = [result.original(f) for f in result.findings if f.path == path]
        changed, number = annotated(source, mine, form)
        failed += _write({path: changed} if number else {})
        added += number
    return added, failed


def save(corrected: Corrected) -> list[str]:
    """Write the files that were corrected; the paths of those that could not be written."""
    return _write({path: corrected.sources[path] for path in sorted(corrected.changed)})


def _write(sources: Mapping[str, Source]) -> list[str]:
    failed = []
    for path, source in sources.items():
        try:
            write(source)
        except OSError as error:  # noqa: PERF203  the others are still written
            failed.append(f"{path}: {error.strerror or error}")
    return failed


def shown(path: Path) -> str:
    """A path as people read it: from here where it is below, absolute where it is not."""
    absolute = os.path.abspath(path)
    below = os.path.relpath(absolute) if _same_drive(absolute) else absolute
    return absolute if below.startswith("..") else below


def _same_drive(absolute: str) -> bool:
    return os.path.splitdrive(absolute)[0] == os.path.splitdrive(os.getcwd())[0]


def _result(
    inputs: Inputs,
    sources: Mapping[str, Source],
    checked: Checked,
    fixed: Counter[str] | None = None,
) -> LintResult:
    originals = {located(f, sources.get(f.path)): f for f in checked.findings}
    corrector: list[Corrector] = []  # made where a finding has a fix: rules are many to import

    def edits(finding: Finding) -> tuple[Edit, ...]:
        original = originals.get(finding)
        if original is None or not original.fix:
            return ()
        if not corrector:
            corrector.append(Corrector(registry.rules()))
        return corrector[0].group(original, sources[original.path], checked).edits

    findings = sorted([*originals, *inputs.unreadable], key=lambda f: (f.path, f.cell or 0, f.line))
    return LintResult(
        findings=tuple(findings),
        sources=sources,
        rules=registry.infos(),
        files=len(inputs),
        fixed=fixed or {},
        named=checked.named,
        edits=edits,
        original=lambda finding: originals.get(finding, finding),
    )
