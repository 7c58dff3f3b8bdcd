"""The user's files on their way to a patch: what was, what will be, the difference."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from compilescope.diagnose.evidence import torch_version
from compilescope.tune.source_edits import CannotEditError

if TYPE_CHECKING:
    from compilescope.tune.trials import Ran


class Sources:
    """The user's files as they become."""

    def __init__(self, best: Ran, script: Path | None) -> None:
        self.best = best
        self.script = script
        self.before: dict[Path, str] = {}
        self.after: dict[Path, str] = {}
        self.ran: dict[Path, str] = {}  # files that the best trial ran changed

    @property
    def torch(self) -> tuple[int, int]:
        """The torch that ran; the newest known where the session does not say."""
        return torch_version(self.best.session.environment.torch) or (2, 13)

    def edit(self, path: Path, change: Callable[[str], str]) -> None:
        """Apply `change` to what `path` has become so far."""
        path = path.resolve()
        if "site-packages" in path.parts or path.suffix != ".py":
            raise CannotEditError(f"{path} is not a source of this program")
        try:
            text = self.after.get(path) or path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise CannotEditError(f"{path} cannot be read") from error
        self.before.setdefault(path, text)
        self.after[path] = change(text)

    def home(self) -> Path:
        """The file for settings: the script, else the file of the first call."""
        if self.script is not None:
            return self.script
        for notes in self.best.notes.places.values():
            return Path(notes[0]["path"])
        raise CannotEditError("the program's file is not known")

    def moved(self, path: Path, line: int) -> int:
        """The line of `path` that `line` has become by earlier edits."""
        path = path.resolve()
        if path not in self.after:
            return line
        before = self.ran.get(path, self.before[path]).splitlines()
        after = self.after[path].splitlines()
        matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
        for tag, start, end, new, new_end in matcher.get_opcodes():
            if not start <= line - 1 < end:
                continue
            if tag == "equal":
                return new + line - start
            # An argument of the call was wrapped: it is the line that is most like the old one.
            alike = difflib.get_close_matches(before[line - 1], after[new:new_end], 1)
            if alike and after[new:new_end].count(alike[0]) == 1:
                return new + after[new:new_end].index(alike[0]) + 1
        raise CannotEditError("the call was changed by another edit")

    def diff(self) -> str:
        """The change as a unified diff."""
        parts: list[str] = []
        for path, text in self.after.items():
            name = relative(path)
            parts += difflib.unified_diff(
                self.before[path].splitlines(keepends=True),
                text.splitlines(keepends=True),
                f"a/{name}",
                f"b/{name}",
            )
        return "".join(parts)


def relative(path: Path) -> str:
    """`path` from here, as a diff names it."""
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(path).lstrip("/")
