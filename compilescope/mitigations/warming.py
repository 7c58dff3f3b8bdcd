"""Compiling before the first request, and never after it."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from compilescope.errors import UsageError
from compilescope.mitigations.compiles import CompileCount
from compilescope.mitigations.copies import Inputs, own_copy

if TYPE_CHECKING:
    from types import TracebackType

_STANCES = {"eager": "eager_on_recompile", "fail": "fail_on_recompile"}


@dataclass(frozen=True)
class WarmedUp:
    """What a warm-up did."""

    seconds: tuple[float, ...]  # of the first call with each of the topologies
    compiles: tuple[int, ...]  # how many graphs it compiled
    rounds: int  # passes over all topologies, the last of which compiled nothing if `stable`
    stable: bool  # whether another pass compiles nothing: what was warmed up stays compiled

    def __str__(self) -> str:
        text = f"{len(self.seconds)} topologies, {sum(self.compiles)} compiles"
        text += f" in {sum(self.seconds):.1f} s"
        return text if self.stable else f"{text}; the same calls still compile after that"


def warm_up(model: Callable[..., Any], topologies: Iterable[Any], *, rounds: int = 3) -> WarmedUp:
    """Call a compiled model once with each of `topologies`, until nothing more compiles.

    What is compiled also depends on the grad mode, autocast and the thread count: call this inside
    the same `torch.no_grad()` or `torch.inference_mode()` as the service's own calls.

    Args:
        model: What `torch.compile` returned.
        topologies: The inputs of each call: a tuple or list of positional arguments, a dict of
            keyword arguments, `(args, kwargs)` as a pair of those two, or one tensor. The model
            gets copies, so that one that changes its inputs leaves these as they are.
        rounds: Passes over all of them at most; the second sees whether the first was enough,
            since a later compile can push an earlier graph out of the cache.

    Raises:
        UsageError: there are no topologies, or one is none of the above.
    """
    calls = [inputs_of(item) for item in topologies]
    if not calls:
        raise UsageError("warm_up was given no topologies", hint="one tuple of inputs a call")
    seconds: list[float] = []
    compiles = [0] * len(calls)
    count = CompileCount()
    made = 0
    for done in range(1, max(rounds, 1) + 1):
        before_round = count.now()
        for place, call in enumerate(calls):
            args, kwargs = own_copy(*call)
            before, began = count.now(), time.perf_counter()
            model(*args, **kwargs)
            _wait()
            if done == 1:
                seconds.append(time.perf_counter() - began)
            compiles[place] += count.now() - before
        made = count.now() - before_round
        if made == 0:
            break
    return WarmedUp(tuple(seconds), tuple(compiles), done, stable=made == 0)


def inputs_of(item: Any) -> Inputs:
    """The arguments and keyword arguments that a topology stands for.

    Raises:
        UsageError: it is none of what `warm_up` takes.
    """
    if isinstance(item, torch.Tensor):
        return (item,), {}
    if isinstance(item, Mapping):
        return (), dict(item)
    if isinstance(item, (tuple, list)):
        if len(item) == 2 and isinstance(item[0], (tuple, list)) and isinstance(item[1], dict):
            return tuple(item[0]), item[1]
        return tuple(item), {}
    raise UsageError(
        f"a topology of warm_up is a {type(item).__name__}",
        hint="a tuple of positional arguments, a dict of keyword arguments, or (args, kwargs)",
    )


def _wait() -> None:
    if torch.cuda.is_available():
        torch.cuda.synchronize()


class Freeze:
    """The stance of torch.compile while nothing may compile; a context manager, or `release()`."""

    def __init__(self, stance: str) -> None:
        self._stance = torch.compiler.set_stance(stance)
        self._frozen = True

    def release(self) -> None:
        """Let torch.compile compile again, as it did before."""
        if self._frozen:
            self._frozen = False
            self._stance.__exit__(*sys.exc_info())

    def __enter__(self) -> Freeze:  # noqa: PYI034  typing has Self from 3.11
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()


def freeze_after_warm_up(on_recompile: str = "eager") -> Freeze:
    """From here on nothing compiles, in the whole process: torch has one stance for all threads.

    Args:
        on_recompile: What a call does whose inputs fit no compiled graph: "eager" runs it eagerly,
            "fail" raises torch's RuntimeError, which names the guards that failed.

    Raises:
        UsageError: another word, a torch before 2.6, or a call from inside a compiled function.
    """
    if on_recompile not in _STANCES:
        raise UsageError(
            f"freeze_after_warm_up has no way {on_recompile!r}", hint='"eager" or "fail"'
        )
    if not hasattr(torch.compiler, "set_stance"):
        raise UsageError("freezing needs torch 2.6", cause=f"this is torch {torch.__version__}")
    try:
        return Freeze(_STANCES[on_recompile])
    except RuntimeError as error:
        raise UsageError("cannot freeze here", cause=str(error)) from error
