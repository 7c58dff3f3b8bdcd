"""`compilescope.watch()`: what torch.compile does in a block, and assertions on it."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import time
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from compilescope import packs, store
from compilescope.diagnose import diagnose
from compilescope.errors import CompilescopeError, UsageError
from compilescope.gate import Limits, judge
from compilescope.live.feed import Feed
from compilescope.probe.raw import LAUNCH

if TYPE_CHECKING:
    from types import TracebackType

    from compilescope.diagnosis import Diagnosis
    from compilescope.model import Gap, Session

_WIDTH = 100


class WatchFailure(AssertionError):  # noqa: N818  it is a failed assertion, as pytest shows it
    """An assertion of a watch that did not hold; its text is the diagnosis."""


class Watch:
    """Records the compiles, recompiles, graph breaks and calls of a block."""

    def __init__(self, *, reset: bool = True, name: str = "watch") -> None:
        """Prepare; nothing of torch is imported before the block begins.

        Args:
            reset: Whether to forget what was compiled before the block. Else a graph that earlier
                code left in the cache serves the block, and its compile is never seen.
            name: What the session is called.
        """
        self._reset = reset
        self._name = name
        self._feed: Feed | None = None
        self._folder: Path | None = None
        self._running = False
        self._began = self._ended = 0.0
        self._session: Session | None = None

    def __enter__(self) -> Watch:  # noqa: PYI034  typing has Self from 3.11
        """Begin.

        Raises:
            CompilescopeError: there is no torch.
        """
        if self._folder is not None:
            raise UsageError("a watch can be used once", hint="compilescope.watch() makes another")
        try:
            import torch
        except ImportError as error:
            raise CompilescopeError(
                "cannot watch: torch cannot be imported", cause=str(error)
            ) from error
        if self._reset:
            torch.compiler.reset()
        self._folder = Path(tempfile.mkdtemp(prefix="compilescope-watch-"))
        weakref.finalize(self, _remove, self._folder, os.getpid())
        self._began = time.time()
        launch = {"pid": os.getpid(), "name": self._name, "at": self._began, "folder": os.getcwd()}
        (self._folder / LAUNCH).write_text(json.dumps(launch), encoding="utf-8")
        self._feed = Feed(self._folder)
        self._feed.start()
        self._running = True
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End; the session stays."""
        if self._feed is not None and self._running:
            self._running = False
            self._ended = time.time()
            self._feed.stop()

    @property
    def session(self) -> Session:
        """What was recorded; inside the block, what has been so far."""
        if self._session is not None:
            return self._session
        if self._feed is None or self._folder is None:
            raise UsageError("nothing was watched yet", hint="with compilescope.watch() as w: ...")
        ended = time.time() if self._running else self._ended
        found = _read(self._folder, self._feed.gaps(), ended - self._began)
        if not self._running:
            self._session = found
            shutil.rmtree(self._folder, ignore_errors=True)
        return found

    @property
    def diagnosis(self) -> Diagnosis:
        """What the session says."""
        return diagnose(self.session)

    @property
    def compiles(self) -> int:
        """Compiles that ended so far: cheap to ask for, and grows when there is news."""
        return 0 if self._feed is None else self._feed.compiles

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the session to a file that every verb reads."""
        store.save(self.session, Path(path))

    def report(self, form: str = "terminal", **options: Any) -> str:
        """The diagnosis in a format of `compilescope show`."""
        return packs.report(form)(self.diagnosis, **{"width": _WIDTH, **options})

    def assert_no_recompiles(self, *, after: int = 0) -> None:
        """Fail where a callable recompiled at its call number `after` (from 0) or later.

        Also where that cannot be told: nothing was compiled, or nothing was called so often.
        """
        __tracebackhide__ = True
        self._hold(Limits(max_recompiles=0, after_call=after))

    def assert_no_graph_breaks(self) -> None:
        """Fail where the compiler could not capture a line."""
        __tracebackhide__ = True
        self._hold(Limits(max_breaks=0))

    def assert_graphs(self, number: int) -> None:
        """Fail where another number of graphs was compiled, recompiles included."""
        __tracebackhide__ = True
        self._hold(Limits(graphs=number))

    def assert_no_fallback(self) -> None:
        """Fail where a function reached its recompile limit and runs eagerly."""
        __tracebackhide__ = True
        self._hold(Limits(no_fallback=True))

    def _hold(self, limits: Limits) -> None:
        __tracebackhide__ = True
        diagnosis = self.diagnosis
        judged = judge(diagnosis, msgspec.structs.replace(limits, warm=not self._reset))
        if judged.passed:
            return
        text = "\n".join(judged.lines())
        if judged.crossed:
            shown = judged.narrowed(diagnosis)
            text = f"{text}\n\n{packs.report('terminal')(shown, width=_WIDTH)}"
        raise WatchFailure(text)

    def _repr_html_(self) -> str:
        return packs.report("cell")(self.diagnosis)


def _remove(folder: Path, pid: int) -> None:
    # A forked child ends before its parent, whose folder it is.
    if os.getpid() == pid:
        shutil.rmtree(folder, ignore_errors=True)


def _read(folder: Path, gaps: tuple[Gap, ...], seconds: float) -> Session:
    from compilescope.probe.session import from_raw

    found = from_raw(folder)
    # The process goes on after the block: how it ends is not known, and not asked.
    processes = tuple(
        msgspec.structs.replace(item, how="unknown", command=tuple(sys.argv))
        for item in found.processes
    )
    return _with_cells(
        msgspec.structs.replace(
            found, how="unknown", seconds=seconds, processes=processes, gaps=(*found.gaps, *gaps)
        )
    )


def _with_cells(session: Session) -> Session:
    """`session` with the lines of code that no file holds: the cells of a notebook."""
    import linecache

    encoded = store.encode(session)
    cells = {
        path: dict(enumerate((line.rstrip("\n") for line in linecache.getlines(path)), 1))
        for path in list(linecache.cache)
        if path not in session.sources
        and not os.path.exists(path)
        and msgspec.json.encode(path) in encoded
    }
    return msgspec.structs.replace(session, sources={**session.sources, **cells})
