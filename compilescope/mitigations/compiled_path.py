"""Compiled graphs that serve without ever compiling, and compiling without ever serving.

A serving call must run a graph whose guards hold and otherwise do nothing at all. torch 2.13 offers
three ways to ask for that, and two of them are not safe where several threads serve:

- `torch.compiler.set_stance("fail_on_recompile")` sets one variable for the whole process
  (`torch._dynamo.eval_frame._stance`). While it is set, the thread that is to compile cannot, and
  when that thread sets it back, a serving call that enters in that moment compiles.
- `torch._dynamo.config.error_on_recompile` is a context variable on torch 2.13 and so belongs to
  a thread, but on older versions it is one attribute for all threads. It raises only on a
  *re*compile: the first call compiles. Also it is read after the compile lock is taken, so a
  serving call would wait for the compile that runs.
- `torch._dynamo.run(function)` runs what is cached for `function` and else the function itself. It
  sets the frame evaluation callback, which is thread-local in all versions, to "run only": no
  callback, no compile lock, and it is what torch itself does for `eager_on_recompile`.

The third is used here. To learn that nothing was cached, the function that is compiled answers
`MISS` when it is run by Python and the model's result when it is run by Dynamo: one look at the
guards, made in C++, by the very code that runs the graph. Asking the guards first, with
`_debug_get_cache_entry_list` and `guard_manager.check`, would evaluate them twice, needs the
locals of the frame as Dynamo sees them, and leaves a gap between the check and the run.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any, Protocol

import torch

from compilescope.mitigations.call_state import CallState
from compilescope.mitigations.copies import Inputs
from compilescope.mitigations.fx_threads import tracing_own_calls_only
from compilescope.mitigations.rehearsal import Rehearsed, rehearsal, rehearsing_backend
from compilescope.mitigations.yielding import Yielding, giving_way

_TRACING = "Detected that you are using FX to symbolically trace"


class _Miss:
    def __repr__(self) -> str:
        return "MISS"


MISS: Any = _Miss()


class Path(Protocol):
    """What can call and compile: torch.compile in this process, or packages from a worker."""

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result, or MISS; never compiles."""

    def has(self, inputs: Inputs, state: CallState) -> bool:
        """Whether a call with `inputs` would be served."""

    def compile(self, inputs: Inputs, state: CallState) -> None:
        """See to it that it would be."""

    def close(self) -> None:
        """Give up what only compiling needs."""


class CompiledPath:
    """What torch.compile made of a model: called without compiling, compiled without serving."""

    def __init__(
        self,
        model: Callable[..., Any],
        *,
        fullgraph: bool,
        dynamic: bool | None,
        mode: str | None,
        backend: str | Callable[..., Any],
        yielding: Yielding,
    ) -> None:
        self._yielding = yielding
        self._fullgraph = fullgraph
        function = _answering(model)
        maker: Any = rehearsing_backend(_backend(backend, mode, dynamic)) if fullgraph else backend
        given: dict[str, Any] = {} if fullgraph else {"mode": mode}
        self._compiled: Any = torch.compile(
            function, fullgraph=fullgraph, dynamic=dynamic, backend=maker, **given
        )
        self._run: Any = torch._dynamo.run(function)  # type: ignore[no-untyped-call,unused-ignore]  # noqa: SLF001

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result of a compiled graph whose guards hold, or MISS. Never compiles or waits."""
        try:
            return self._run(*args, **kwargs)
        except RuntimeError as error:
            # torch's flag for FX tracing is of the process: while the background thread traces,
            # torch refuses every compiled callable, before it looks at one (seen on 2.11).
            if str(error).startswith(_TRACING):
                return MISS
            raise

    def has(self, inputs: Inputs, state: CallState) -> bool:
        """Whether a graph takes `inputs`; where the model is one graph, nothing of it stays."""
        with state.applied():
            return self._rehearse(self._run, inputs) is not MISS

    def compile(self, inputs: Inputs, state: CallState) -> None:
        """Compile for `inputs`, and run the graph on them once so that its kernels are loaded.

        Where the model is one graph, buffers are replaced by copies for that run and what the model
        would write to Python objects after it is not written. A model with graph breaks runs as
        usual.
        """
        with giving_way(self._yielding), tracing_own_calls_only(), state.applied():
            self._rehearse(self._compiled, inputs)

    def close(self) -> None:
        """Nothing but graphs is kept, and those go on serving."""

    def _rehearse(self, function: Callable[..., Any], inputs: Inputs) -> Any:
        args, kwargs = inputs
        with rehearsal(on=self._fullgraph):
            try:
                return function(*args, **kwargs)
            except Rehearsed:
                return None


def _answering(model: Callable[..., Any]) -> Callable[..., Any]:
    """A function that answers MISS unless it is compiled, with code of its own.

    `is_compiling` would not do: it is true in every thread while one compiles.
    """

    def answer(*args: Any, **kwargs: Any) -> Any:
        if not torch.compiler.is_dynamo_compiling():
            return MISS
        return model(*args, **kwargs)

    # Compiled graphs are kept with the code object, which all closures of one function share.
    return types.FunctionType(
        answer.__code__.replace(co_name=f"answer_{id(model):x}"),
        answer.__globals__,
        answer.__name__,
        answer.__defaults__,
        answer.__closure__,
    )


def _backend(
    backend: str | Callable[..., Any], mode: str | None, dynamic: bool | None
) -> Callable[..., Any]:
    if backend == "inductor":
        wrapper: Any = torch._TorchCompileInductorWrapper  # noqa: SLF001
        made: Callable[..., Any] = wrapper(mode, None, dynamic)
        return made
    if callable(backend):
        return backend
    found: Callable[..., Any] = torch._dynamo.lookup_backend(backend)  # noqa: SLF001
    return found
