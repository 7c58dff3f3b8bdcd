"""Proof of a warm-up: it runs before the program's first call, and nothing may compile after it."""

from __future__ import annotations

import sys
from importlib import util
from typing import TYPE_CHECKING, Any

from .forecast_calls import Caller

if TYPE_CHECKING:
    from .forecast import Forecast
    from .forecast_samples import Sample, Watched

_DETECTED = "Detected recompile"


class Proof:
    """The warm-up file of this run, and what compiled in spite of it."""

    def __init__(self, forecast: Forecast, options: dict[str, Any]) -> None:
        self._forecast = forecast
        self._warm = load(options["file"])
        self._all = load(options["all"])
        self._functions: dict[str, dict[str, Any]] = options["functions"]
        self._late: dict[int, list[int]] = {}
        self._errors: dict[int, str] = {}

    def warm(self, watched: Watched, sample: Sample) -> None:
        """Run the warm-up of a callable that is about to be called for the first time."""
        entry = self._functions.get(str(watched.number))
        if entry is None or not entry["function"]:
            return
        function = getattr(self._warm, entry["function"])
        try:
            function(_Model(watched), *sample.args, **sample.kwargs)
        except Exception as error:  # noqa: BLE001  whatever it raises is the result
            self._errors[watched.number] = f"{type(error).__name__}: {error}"[:2000]

    def called(self, watched: Watched, index: int, ids: list[str]) -> None:
        """A call of the program is over."""
        if ids:
            self._late.setdefault(watched.number, []).append(index)

    def conclude(self) -> None:
        """Call everything that was foreseen, and note what no graph serves."""
        for watched in self._forecast.watched.values():
            entry = self._functions.get(str(watched.number))
            samples = [sample for kind in watched.kinds.values() for sample in kind.samples]
            if entry is None or not samples:
                continue
            calls = getattr(self._all, entry["constant"])
            caller = Caller(self._forecast, watched)
            by_index = {sample.index: sample for sample in samples}
            left = [
                place
                for place, index, call in zip(
                    entry["places"], entry["built_from"], calls, strict=True
                )
                if not self._served(watched, call, by_index.get(index, samples[0]), caller)
            ]
            error = self._errors.get(watched.number)
            more = {"error": error} if error else {}
            late = self._late.get(watched.number, [])
            self._note(watched.number, left=left, late=late, **more)
        self._forecast.record.note("forecast_end", callables=len(self._forecast.watched))

    def _served(self, watched: Watched, call: Any, sample: Sample, caller: Caller) -> bool:
        compiler: Any = sys.modules["torch.compiler"]
        try:
            with sample.ambient.again(watched.module), compiler.set_stance("fail_on_recompile"):
                self._all._warm_up(  # noqa: SLF001
                    _Model(watched), [call], sample.args, sample.kwargs
                )
        except Exception as error:  # noqa: BLE001  whatever it raises, it was not served
            if not str(error).startswith(_DETECTED):
                self._errors.setdefault(watched.number, f"{type(error).__name__}: {error}"[:2000])
            return False
        finally:
            caller.restore()
        return True

    def _note(self, number: int, **fields: Any) -> None:
        self._forecast.record.note("forecast", what="proof", callable=number, **fields)


class _Model:
    """The compiled callable as its user holds it: with the modes of the module."""

    def __init__(self, watched: Watched) -> None:
        self._watched = watched

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._watched.call(*args, **kwargs)

    @property
    def training(self) -> Any:
        return getattr(self._watched.module, "training", None)

    def train(self, mode: bool) -> None:
        if self._watched.module is not None:
            self._watched.module.train(mode)


def load(path: str) -> Any:
    """The module in a file."""
    name = f"compilescope_warmup_{abs(hash(path))}"
    spec = util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
