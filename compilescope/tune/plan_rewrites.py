"""Trials of changed source: what lint can fix where the cause is, and shortcuts left out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from compilescope.diagnose.functions import written
from compilescope.model import Frame
from compilescope.tune.remedy import Candidate, Entry
from compilescope.tune.rewrites import fixable, rewrite
from compilescope.tune.situation import Situation
from compilescope.tune.source_edits import CannotEditError


def rewrites(situation: Situation) -> Iterator[Candidate]:
    """Fixes of lint in the functions that the cause and the graph breaks are in; shortcuts."""
    yield from _fixes(situation)
    yield from _shortcuts(situation)


def _fixes(situation: Situation) -> Iterator[Candidate]:
    by_file: dict[Path, set[str]] = {}
    for frame in _frames(situation):
        by_file.setdefault(Path(frame.path), set()).add(written(frame).function)
    for path, functions in by_file.items():
        text = _text(path)
        findings = fixable(path, text) if text else []
        for code, name, function in dict.fromkeys(
            (one.code, one.name, one.function) for one in findings
        ):
            if function.rpartition(".")[2] not in functions and "compile" not in name:
                continue
            content = {"path": str(path), "do": "lint", "code": code, "function": function}
            where = f"{code} {name} in {function or path.name}"
            yield from _tested(situation, text, f"lint_{code}", f"the fix of {where}", content, 2)


def _shortcuts(situation: Situation) -> Iterator[Candidate]:
    for found in situation.diagnosis.graph_breaks:
        path = Path(found.frame.path)
        text = _text(path)
        if text:
            content = {"path": str(path), "do": "drop_if", "line": found.frame.line}
            where = f"the early return at {path.name}:{found.frame.line} left out"
            yield from _tested(situation, text, "drop_shortcut", where, content, 3)


def conditions(situation: Situation) -> Iterator[Candidate]:
    """Work that a branch on a size guards, done always: both sides of it were seen."""
    frames = [situation.failure.frame, situation.cause.frame]
    for frame in dict.fromkeys(frame for frame in frames if frame is not None):
        path = Path(frame.path)
        text = _text(path)
        if text:
            content = {"path": str(path), "do": "unwrap_if", "line": frame.line}
            where = f"the work under the `if` at {path.name}:{frame.line} done always"
            yield from _tested(situation, text, "pad_always", where, content, 2)


def _tested(
    situation: Situation, text: str, name: str, words: str, content: dict[str, Any], weight: int
) -> Iterator[Candidate]:
    """The candidate, where its rewrite can be made."""
    entry = Entry("rewrite", content)
    with suppress(CannotEditError):
        if rewrite(text, entry) != text:
            yield situation.candidate(name, words, entry, weight=weight)


def _frames(situation: Situation) -> Iterator[Frame]:
    cause = situation.cause
    yield cause.frame
    if cause.function is not None:
        yield cause.function
    for target in situation.targets:
        if target.frame is not None:
            yield target.frame
    for found in situation.diagnosis.graph_breaks:
        yield found.frame


def _text(path: Path) -> str:
    if path.suffix != ".py" or "site-packages" in path.parts:
        return ""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
