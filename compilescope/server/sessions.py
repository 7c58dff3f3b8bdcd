"""The last run of a project: what its lines cost."""

from __future__ import annotations

from pathlib import Path

from compilescope.commands.lint_join import met_in
from compilescope.errors import CompilescopeError
from compilescope.lint.result import Met
from compilescope.probe.launcher import HOME


class LastSession:
    """Reads the newest session of a project, again only when there is a newer one."""

    def __init__(self, chosen: Path | None = None) -> None:
        """Read `chosen` instead, where it is given."""
        self._chosen = chosen
        self._read: dict[Path, tuple[int, list[Met]]] = {}

    def met(self, root: Path) -> tuple[str, list[Met]]:
        """The name of the session and what the run met; "" and nothing where there is none."""
        for path in self._paths(root):
            try:
                changed = path.stat().st_mtime_ns
                known = self._read.get(path)
                if known is None or known[0] != changed:
                    known = self._read[path] = (changed, met_in(path))
            except (OSError, CompilescopeError):  # half written, or of a newer version
                continue
            return path.name, known[1]
        return "", []

    def _paths(self, root: Path) -> list[Path]:
        if self._chosen is not None:
            return [root / self._chosen]
        found = [*(root / HOME).glob("*.cscope.json.gz"), *(root / HOME).glob("*.cscope.json")]
        return sorted(found, key=_changed, reverse=True)[:3]


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
