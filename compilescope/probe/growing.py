"""A raw folder that is still written to, looked at again and again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from compilescope.logs.growing import GrowingTraces
from compilescope.probe.raw import END
from compilescope.probe.records import GrowingRecords
from compilescope.probe.session import session_of

if TYPE_CHECKING:
    from compilescope.logs.log import Log
    from compilescope.model import Session


class GrowingSession:
    """The session of a program that runs; each byte of its record is read once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._records = GrowingRecords(folder)
        self._traces = GrowingTraces()
        self._known: tuple[int, int, bool] | None = None

    def read(self) -> Session | None:
        """The session so far; None where nothing came since the last time.

        Raises:
            OSError: the folder went away while it was read.
        """
        agents = self._records.read()
        try:
            return session_of(self.folder, agents, self._log)
        except _NothingNewError:
            return None

    def _log(self, paths: list[Path]) -> Log:
        self._traces.take(paths)
        known = (self._records.taken, self._traces.taken, (self.folder / END).exists())
        if known == self._known:
            raise _NothingNewError
        self._known = known
        return self._traces.log()


class _NothingNewError(Exception):
    """What is known is all that there is."""
