"""Trials of `compilescope.mitigations`: what torch.compile returned is served through one of them.

The compiled callable keeps its object and its attributes; only what runs in a call is another. Its
calls are recorded as before, since the agent's hook of its context is called around each of them.
"""

from __future__ import annotations

import atexit
import importlib.util
import os
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

from .callables import _backend, module_of, written
from .overlay_ahead import NotYetError, ahead
from .overlay_state import changed, state_of
from .torch_logs import active

if TYPE_CHECKING:
    from collections.abc import Callable

    from .overlay import Overlay

_WATCHED = 20  # calls of a callable, after which its state is not looked at any more
_WORDS = {
    "thread": "background compile (thread)",
    "process": "background compile (process)",
    "ahead": "ahead of time",
}


class Mitigated:
    """Makes what serves in place of the compiled callables of a process."""

    def __init__(self, overlay: Overlay, entry: dict[str, Any]) -> None:
        self.overlay = overlay
        self.entry = entry
        self.words = _WORDS[entry["how"]]
        self.maker: int | None = None  # the thread in which a mitigation is being made

    def around(self, context: Any, function: Any, name: str) -> Callable[..., Any] | None:
        """What serves for `function`; None where a mitigation itself compiles, which is no call."""
        ours = [one for one in context.enter_exit_hooks if _is_ours(one)]
        if self.maker == threading.get_ident():
            context.enter_exit_hooks[:] = [
                one for one in context.enter_exit_hooks if one not in ours
            ]
            return None
        serving = Serving(self, context, function, name)
        enter = ours[0] if ours else _no_hook

        def served(*args: Any, **kwargs: Any) -> Any:
            answer = serving.ready(args, kwargs)
            serving.local.missed = False
            before = serving.before(args, kwargs)
            result = _tracked(enter, function, serving, answer, args, kwargs)
            serving.after(before, args, kwargs, result)
            return result

        return served


class Serving:
    """One callable, served through a mitigation from its first call on."""

    def __init__(self, owner: Mitigated, context: Any, function: Any, name: str) -> None:
        self.owner = owner
        self.name = name
        self.local = threading.local()
        self.module = module_of(function)
        self._record = owner.overlay.record
        self._context = context
        self._function = function
        self._answer: Any = None
        self._lock = threading.Lock()
        self._watched = 0
        self._served = False
        self._refused = False
        atexit.register(self._end)

    def ready(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What answers calls; it is made before the first, as a service would."""
        if self._answer is not None:
            return self._answer
        with self._lock:
            if self._answer is None:
                self.owner.maker = threading.get_ident()
                self.owner.overlay.settle()
                try:
                    self._answer = self._made(args, kwargs)
                except NotYetError:
                    return self._eager
                except Exception as error:  # noqa: BLE001
                    cause = getattr(error, "cause", "") or ""
                    self.refuse(f"{error}: {cause}" if cause else f"{error}")
                    self._answer = self._function
                finally:
                    self.owner.maker = None
        return self._answer

    def before(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any] | None:
        """The state that a call must leave as it is; None once enough calls have."""
        if self._refused or self._watched >= _WATCHED:
            return None
        self._watched += 1
        return state_of(self.module, args, kwargs)

    def after(
        self, before: dict[str, Any] | None, args: tuple[Any, ...], kwargs: dict[str, Any],
        result: Any,
    ) -> None:  # fmt: skip
        """Note how the call was served, and what it shows that no mitigation is for."""
        if self.local.missed:
            self._record.note("eager", at=time.time_ns())
        elif not self._refused and not self._served:
            self._served = True
            self._record.applied(self.owner.words)
        if self.local.waited:
            self._record.note("waited")
        if before is not None:
            what = changed(before, state_of(self.module, args, kwargs))
            if what:
                self.refuse(f"a call changes {what}, and it is for calls that leave no trace")
        self._watch_training(result)

    def missed(self, _why: str = "") -> None:
        """Remember that the call which runs is eager."""
        self.local.missed = True

    def refuse(self, why: str) -> None:
        """Say once why it is not for this program; what was applied before does not count."""
        self._refused = True
        self._record.refused(f"{self.owner.words} of {self.name}", why)

    def _eager(self, *args: Any, **kwargs: Any) -> Any:
        self.missed()
        return self._function(*args, **kwargs)

    def _made(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        _find_package(self.owner.entry["package"])
        if self.owner.entry["how"] == "ahead":
            bounds = self.owner.entry["bounds"].get(self.name, {})
            began = time.time_ns()
            made = ahead(self.module, bounds, args, kwargs, self.missed)
            self._record.note("warm_up", began=began, ended=time.time_ns())
            return made
        return self._background(self.owner.entry["how"])

    def _background(self, worker: str) -> Any:
        from compilescope.mitigations.background import background_compile

        backend = _backend(self._context.callback)
        if type(backend).__name__ == "_TorchCompileInductorWrapper":
            if (getattr(backend, "config", None) or {}).get("triton.cudagraphs"):
                raise ValueError("CUDA graphs run only in the thread that recorded them")
            if worker == "process":
                if getattr(backend, "config", None):
                    raise ValueError("a worker process takes no options of torch.compile")
                backend = "inductor"
        model = self.module if self.module is not None else written(self._function)
        if getattr(model, "_compiled_call_impl", None) is not None:
            raise ValueError("the module is compiled in place, by its own compile()")
        if worker == "process":
            _refuse_unguarded(self.module, model)
        made: Any = background_compile(
            model,
            dynamic=getattr(self._context, "_dynamic", None),
            backend=backend,
            worker=worker,
            on_event=self._told,
        )
        made._path = _Noting(made._path, self)  # noqa: SLF001
        return made

    def _told(self, event: Any) -> None:
        if event.what in ("failed", "unserved"):
            why = event.detail or str(event.error or "no graph takes these inputs")
            # One kind of call that is never compiled is no refusal of the rest: it runs eagerly.
            self._record.refused(self.owner.words, why)

    def _watch_training(self, result: Any) -> None:
        from .overlay_outputs import leaves

        for _, leaf in leaves("result", result, 0):
            if not self._refused and getattr(leaf, "requires_grad", False):
                leaf.register_hook(self._trains)

    def _trains(self, _gradient: Any) -> None:
        self.refuse("the program trains, and it is for inference")

    def _end(self) -> None:
        if self._answer is not None and not self._served and not self._refused:
            why = "no call was served by a graph before the program ended"
            self._record.refused(self.owner.words, why)


class _Noting:
    """A path of `background_compile` that tells which calls it could not serve."""

    def __init__(self, path: Any, serving: Serving) -> None:
        from compilescope.mitigations.compiled_path import MISS

        self._path = path
        self._serving = serving
        self._miss = MISS

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        answer = self._path.call(args, kwargs)
        if answer is self._miss:
            self._serving.missed()
        return answer

    def __getattr__(self, name: str) -> Any:
        return getattr(self._path, name)


def _tracked(
    enter: Any,
    fn: Any,  # noqa: ARG001
    serving: Serving,
    answer: Any,
    args: Any,
    kwargs: Any,
) -> Any:
    # The hook reads `fn`, `args` and `kwargs` in the frame that calls it, as in torch's wrapper.
    leave = enter()
    try:
        return answer(*args, **kwargs)
    finally:
        calls = getattr(active, "calls", ())
        serving.local.waited = bool(calls and calls[-1].ids)
        leave()


def _no_hook() -> Callable[[], None]:
    return lambda: None


def _is_ours(hook: Any) -> bool:
    return str(getattr(hook, "__module__", "")).startswith("_compilescope_agent")


def _refuse_unguarded(module: Any, model: Any) -> None:
    """A worker process imports the main module, where the model's classes may be."""
    parts = {type(part).__module__ for part in module.modules()} if module is not None else set()
    if "__main__" not in parts | {getattr(model, "__module__", "")}:
        return
    path = getattr(sys.modules.get("__main__"), "__file__", None)
    if not path:
        raise ValueError("the model is defined in a main module that has no file")
    with open(path, "rb") as file:
        if b"__name__" not in file.read():
            raise ValueError('the main module has no `if __name__ == "__main__":`')


def _find_package(folder: str) -> None:
    """Make `compilescope` importable: the program's own interpreter may not have it."""
    if "compilescope" in sys.modules:
        return
    path = os.path.join(folder, "__init__.py")
    spec = importlib.util.spec_from_file_location(
        "compilescope", path, submodule_search_locations=[folder]
    )
    if spec is None or spec.loader is None:
        raise LookupError(f"no package at {folder}")
    module = importlib.util.module_from_spec(spec)
    sys.modules["compilescope"] = module
    spec.loader.exec_module(module)
