"""The exploration: which inputs would compile another graph, until nothing new or no time left."""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from .forecast_assumed import assume
from .forecast_calls import Caller
from .forecast_cover import cover
from .forecast_fixed import explore as explore_fixed
from .forecast_layouts import contents, layouts
from .forecast_mixing import mix
from .forecast_note import Notes
from .forecast_repeat import repeat
from .forecast_search import Sizing

if TYPE_CHECKING:
    from .forecast import Forecast
    from .forecast_inputs import Candidate
    from .forecast_samples import Kind, Watched


COVER = 1.2  # of the exploration's time, for compiling all of it once more


def explore(forecast: Forecast) -> None:
    """Explore every callable, and note what was found."""
    _silence()
    compile_cheaply(own=bool(forecast.options.get("own_backend")))
    lift_limits()
    began = time.monotonic()
    deadline = began + forecast.options["budget"]
    watched = [item for item in forecast.watched.values() if item.kinds]
    searches = []
    for place, item in enumerate(watched):
        search = Search(forecast, item, _share(deadline, len(watched) - place))
        searches.append(search)
        search.run()
    took = time.monotonic() - began
    # Behind everything that varied: what these compile is part of no answer above.
    for place, search in enumerate(searches if forecast.options.get("fixed", True) else ()):
        search.run_fixed(_share(deadline, len(searches) - place))
    _end_record(forecast)
    deadline = time.monotonic() + COVER * min(took, forecast.options["budget"])
    for search in searches:
        cover(search, deadline)
    forecast.record.note("forecast_end", callables=len(watched))


def _share(end: float, parts: int) -> float:
    now = time.monotonic()
    return now + (end - now) / parts


class Search:
    """The exploration of one callable."""

    def __init__(self, forecast: Forecast, watched: Watched, deadline: float) -> None:
        self.watched = watched
        self.options = forecast.options
        self.caller = Caller(forecast, watched)
        self.notes = Notes(forecast.record, watched)
        self.tried: set[Any] = set()
        self.cut = False
        self._deadline = deadline
        self._valid: dict[Any, bool] = {}
        self._generals: dict[Kind, Candidate] = {}  # an ordinary input of each kind of call
        self._base: Candidate | None = None  # one that was served before what has not varied came

    def run(self) -> None:
        """Everything, what is likeliest first."""
        for sample in self.watched.compiles:
            self.notes.observed(sample)
        kinds = sorted(self.watched.kinds.values(), key=lambda kind: -kind.times)
        ready = [kind for kind in kinds if repeat(self, kind)]
        self._generals = {kind: self._kind(kind) for kind in ready}
        mix(self, ready)
        for general in self._generals.values():
            assume(self, general)
        closed = dict.fromkeys(
            self.notes.name_of(sample, keys)
            for sample in self.watched.compiles
            for keys in sample.closed()
        )
        self.notes.summary(cut=self.cut, left_out=self.watched.left_out, closed=list(closed))

    def run_fixed(self, deadline: float) -> None:
        """What has not varied, until `deadline`."""
        self._deadline, self.cut = deadline, False
        self.notes.is_assuming = True
        for kind, general in self._generals.items():
            self._base = general
            explore_fixed(self, kind, general)
        if self.cut:
            self.notes.incomplete()

    def _kind(self, kind: Kind) -> Candidate:
        sizing = Sizing(self, kind)
        general = sizing.run()
        layouts(self, kind, general)
        contents(self, general)
        sizing.combine(general)
        return general

    def is_valid(self, candidate: Candidate) -> bool:
        """Whether the program itself can take the input."""
        key = candidate.key()
        if key not in self._valid:
            fits = candidate.bytes() <= self.options["memory"]
            self._valid[key] = fits and not self.caller.eager(candidate)
            self.notes.tried += 1
            self.notes.invalid += not self._valid[key]
        return self._valid[key]

    def attempt(self, candidate: Candidate, *, general: bool = False) -> bool:
        """Whether the input needs a graph that does not exist; it exists afterwards."""
        key = candidate.key()
        if key in self.tried or self.late() or not self.is_valid(candidate):
            return False
        self.tried.add(key)
        if self.caller.served(candidate):
            self.notes.served += 1
            if general:
                self.notes.general(candidate)
            return False
        if self._is_spoilt():
            return False
        ids, error = self.caller.compile(candidate)
        if not ids and (not error or self.notes.is_assuming):
            self.notes.served += not error
            return False
        self.notes.found(candidate, ids, error, general=general)
        return True

    def would_compile(self, candidate: Candidate) -> bool:
        """Whether the input needs a graph that does not exist; it is not compiled."""
        key = candidate.key()
        if key in self.tried or self.late() or not self.is_valid(candidate):
            return False
        self.tried.add(key)
        return self.is_refused(candidate)

    def is_refused(self, candidate: Candidate) -> bool:
        """Whether the guards of all graphs say no; the program may not take the input at all."""
        return not self.late() and self.caller.refused(candidate) and not self._is_spoilt()

    def _is_spoilt(self) -> bool:
        """Whether a call left something behind in the arguments that no graph takes any more.

        In-place writes with gradients do, to tensors that objects hold.
        """
        return self._base is not None and not self.caller.served(self._base)

    def late(self) -> bool:
        """Whether the time is over."""
        if time.monotonic() > self._deadline:
            self.cut = True
        return self.cut and time.monotonic() > self._deadline


def _silence() -> None:
    """Nothing of the exploration belongs to what the program prints."""
    with suppress(OSError, ValueError):
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)


def _end_record(forecast: Forecast) -> None:
    """From here on only findings are written: compiles get numbers that were given before."""
    internal: Any = sys.modules["torch._logging._internal"]
    handler: Any = internal.LOG_TRACE_HANDLER
    handler.flush()
    internal.trace_log.removeHandler(handler)
    write = forecast.record.write

    def write_findings(line: bytes) -> None:
        if b'"record":"forecast' in line:
            write(line)

    forecast.record.write = write_findings  # type: ignore[method-assign]


def lift_limits() -> None:
    """Let any number of graphs be compiled."""
    config: Any = sys.modules["torch._dynamo.config"]
    for name in ("recompile_limit", "accumulated_recompile_limit", "cache_size_limit",
                 "accumulated_cache_size_limit"):  # fmt: skip
        with suppress(Exception):
            setattr(config, name, 1 << 20)


def compile_cheaply(*, own: bool) -> None:
    """Let every compile stop after capture."""
    if own:
        return
    graph: Any = sys.modules["torch._dynamo.output_graph"].OutputGraph
    compile_ = graph.call_user_compiler

    def call_user_compiler(self: Any, module: Any, *args: Any, **kwargs: Any) -> Any:
        held = self.compiler_fn
        self.compiler_fn = lambda captured, _: captured.forward
        try:
            return compile_(self, module, *args, **kwargs)
        finally:
            self.compiler_fn = held

    graph.call_user_compiler = call_user_compiler
