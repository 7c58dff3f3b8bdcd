"""Changes of the source that can be made from inside: the one that trials proved, and lint's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from compilescope.errors import InputError
from compilescope.tui import patches
from compilescope.tui.patches import Change

if TYPE_CHECKING:
    from compilescope.lint.check import Analysis
    from compilescope.lint.settings import Settings
    from compilescope.model import Finding, Frame
    from compilescope.tui.tried import Tried


@dataclass(frozen=True)
class Fix:
    """A change and what is known about it."""

    changes: tuple[Change, ...]
    title: str
    notes: tuple[str, ...] = ()
    doubt: bool = False  # it may change what the program does, or no run has shown that it helps

    def diff(self) -> str:
        """All of it as one unified diff."""
        return "".join(
            change.diff(patches.shown(change.path).lstrip("/")) for change in self.changes
        )


def proved(tried: Tried, folder: Path) -> Fix:
    """The change that does what the best trial did.

    Raises:
        InputError: there is none, or the files have changed since the trials.
    """
    patch = tried.tuning.patch if tried.tuning is not None else None
    if patch is None or not patch.diff:
        by_hand = "; ".join(patch.paste) if patch is not None else ""
        raise InputError(by_hand or "the trials gave no change of the source")
    changes = patches.from_diff(patch.diff, folder, dict(tried.files))
    notes = (patch.why, *patch.paste)
    return Fix(tuple(changes), "what the best trial did", notes, not patch.verified)


def at_line(path: Path, frame: Frame, recorded: Mapping[int, str], code: str = "") -> Fix:
    """Lint's correction of what it finds on a line.

    Args:
        path: the file on this machine.
        frame: the line, as the session has it.
        recorded: lines of the file as they were when it ran.
        code: of the finding that the session holds, where it holds one.

    Raises:
        InputError: lint corrects nothing there, or the file has changed since the session.
    """
    from compilescope.lint import files, registry, run, source
    from compilescope.lint.settings import Settings

    if path.suffix != ".py":
        raise InputError(f"{patches.shown(path)} is no Python file")
    before = patches.read(path)
    _same(path, before, recorded, frame.line, known=bool(code))
    settings = Settings(files.project_root(path), registry.default_codes(pedantic=True))
    inputs = run.Inputs({run.shown(path): source.Source(path, before)})
    result = run.lint(inputs, settings, _engine)
    here = [one for one in result.findings if one.line <= frame.line <= one.end_line]
    for finding in sorted(here, key=lambda one: (one.code != code, one.fix != "safe")):
        edits = result.edits(finding) if finding.fix else ()
        if edits:
            after = source.Source(path, before).edited(list(edits)).text
            return _fix(patches.checked(Change(path, before, after)), finding)
    raise InputError(_nothing(here))


def _engine(sources: Mapping[str, str], settings: Settings) -> Analysis:
    from compilescope.lint import analysis, check

    return check.merged(analysis.analyse_groups([sources], settings))


def _fix(change: Change, finding: Finding) -> Fix:
    unsafe = finding.fix == "unsafe"
    notes = (finding.help, "It may change what the program does: read it." if unsafe else "")
    kept = tuple(note for note in notes if note)
    return Fix((change,), f"{finding.code} {finding.message}", kept, unsafe)


def _nothing(here: Sequence[Finding]) -> str:
    for finding in here:
        if finding.help:
            return f"{finding.code} has no automatic fix: {finding.help}"
    return "lint has no fix for this line; v tries remedies on a cause"


def _same(path: Path, text: str, recorded: Mapping[int, str], line: int, *, known: bool) -> None:
    lines = text.splitlines()
    for number, old in recorded.items():
        new = lines[number - 1] if number <= len(lines) else ""
        if new.rstrip() != old.rstrip():
            raise patches.changed(path)
    if line not in recorded and not known:
        raise InputError(
            "the session does not hold this line, so that the file may be another",
            hint="record the program again",
        )
