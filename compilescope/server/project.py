"""`lint` over a project of which some files are open in an editor, with text of their own."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from compilescope import config
from compilescope.lint import registry, run
from compilescope.lint.analysis import analyse
from compilescope.lint.cache import Cache
from compilescope.lint.files import discover, project_root
from compilescope.lint.joined import join
from compilescope.lint.own_codes import SYNTAX
from compilescope.lint.settings import Keys, Layer, Settings, resolve
from compilescope.lint.source import Source, Unreadable, read
from compilescope.server.sessions import LastSession

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from compilescope.lint.check import Analysis
    from compilescope.lint.spans import Edit
    from compilescope.model import Finding

MOST_FILES = 1500  # of a larger project only the open file is looked at, with what it imports


@dataclass(frozen=True)
class Linted:
    """What is known of one version of one open file."""

    source: Source
    findings: tuple[Finding, ...] = ()
    edits: Mapping[Finding, tuple[Edit, ...]] = field(default_factory=dict)
    session: str = ""  # the run that the costs are from


class Projects:
    """Lints open files together with the rest of their projects."""

    def __init__(self, session: Path | None = None) -> None:
        """Join with `session`, or with the last that each project has."""
        self._session = LastSession(session)
        self._folder = tempfile.TemporaryDirectory(prefix="compilescope-server-")
        # Of its own: what is typed would drive the entries of `lint` out of the project's cache.
        self._cache = Cache(Path(self._folder.name), _analyse, registry.identity())
        self._read: dict[Path, tuple[tuple[int, int], Source]] = {}

    def lint(self, path: Path, texts: Mapping[Path, str]) -> Linted:
        """The findings in `path`.

        Args:
            path: an open file, absolute.
            texts: the text of every open file.

        Raises:
            CompilescopeError: the configuration cannot be used.
        """
        settings = _settings(path)
        source = Source(path, texts[path])
        others = self._others(path, texts, settings)
        if others is None:
            return Linted(source)
        name = str(path)
        inputs = run.Inputs({**others, name: source})
        result = run.lint(inputs, settings, self._cache)
        session, met = self._session.met(settings.root)
        joined, _ = join(result.findings, met, result.sources) if met else (result.findings, [])
        found = tuple(f for f in joined if f.path == name and f.code != SYNTAX)
        plain = {_place(f): f for f in result.findings if f.path == name}
        edits = {f: result.edits(plain[_place(f)]) for f in found if f.fix}
        return Linted(source, found, edits, session)

    def corrected(self, linted: Linted) -> str:
        """The text after every safe fix."""
        settings = _settings(linted.source.path)
        inputs = run.Inputs({str(linted.source.path): linted.source})
        _, corrected = run.lint_and_correct(inputs, settings, self._cache, unsafe=False)
        return corrected.sources[str(linted.source.path)].text

    def close(self) -> None:
        """Remove what was kept on disk."""
        self._folder.cleanup()

    def _others(
        self, path: Path, texts: Mapping[Path, str], settings: Settings
    ) -> dict[str, Source] | None:
        """The other files of the project; None where `path` is excluded from it."""
        listed = [Path(os.path.abspath(item)) for item in discover((settings.root,), settings)]
        if path.exists() and path.is_relative_to(settings.root) and path not in listed:
            return None
        if len(listed) > MOST_FILES:
            return {}
        found = {}
        for other in listed:
            if other != path and other.suffix != ".ipynb":
                text = texts.get(other)
                source = self._on_disk(other) if text is None else Source(other, text)
                if source is not None:
                    found[str(other)] = source
        return found

    def _on_disk(self, path: Path) -> Source | None:
        try:
            status = path.stat()
            state = (status.st_mtime_ns, status.st_size)
            known = self._read.get(path)
            if known is None or known[0] != state:
                known = self._read[path] = (state, read(path))
        except (OSError, Unreadable):
            return None
        return known[1]


def _settings(path: Path) -> Settings:
    found = config.find(path)
    root = found.root if found.path else project_root(path)
    keys = config.convert(found, "lint", Keys)
    default = registry.default_codes(pedantic=keys.pedantic)
    return resolve(keys, Path(os.path.abspath(root)), registry.names(), default, Layer())


def _analyse(groups: Sequence[Mapping[str, str]], settings: Settings) -> list[Analysis]:
    # One after the other: a server with threads must not fork.
    return [analyse(group, settings) for group in groups]


def _place(finding: Finding) -> tuple[int, int, int, int, str]:
    return finding.line, finding.column, finding.end_line, finding.end_column, finding.code
