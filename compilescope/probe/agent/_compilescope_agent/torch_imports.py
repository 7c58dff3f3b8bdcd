"""Waits for torch's modules to be imported by the program, and then looks at them.

The agent imports nothing of torch itself: a program that never compiles must pay nothing.
"""

from __future__ import annotations

import os
import sys
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from importlib.machinery import ModuleSpec
    from types import ModuleType

    from .record import Record

    Action = Callable[[ModuleType, Record], None]


def watch(record: Record) -> None:
    """Act when the program imports torch, and when torch imports its compiler."""
    sys.meta_path.insert(0, _Watcher(record))


def _on_torch(module: ModuleType, record: Record) -> None:
    from . import environment, torch_logs

    environment.note_torch(module, record)
    torch_logs.watch(record)
    if os.environ.get("COMPILESCOPE_OVERLAY"):
        from . import overlay

        overlay.on_torch(module)


def _on_compiler(module: ModuleType, record: Record) -> None:
    from . import calls

    calls.watch(module, record)
    if os.environ.get("COMPILESCOPE_OVERLAY"):
        from . import overlay

        overlay.on_compiler(module)
    if os.environ.get("COMPILESCOPE_FORECAST"):
        from . import forecast

        forecast.watch(module, record)


def _on_triton(name: str) -> Action:
    def action(module: ModuleType, record: Record) -> None:
        from . import triton_kernels

        getattr(triton_kernels, name)(module, record)

    return action


class _Watcher:
    """A finder that finds nothing: it lets the others find, and adds an action after the import."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._actions: dict[str, Action] = {
            "torch": _on_torch,
            "torch._dynamo.eval_frame": _on_compiler,
            # The last of Triton's to end: which of the others it has depends on its version.
            "triton": self._on_all_of_triton,
            "triton.knobs": _on_triton("on_knobs"),
            "triton.compiler.compiler": _on_triton("on_compiler"),
            "triton.runtime.autotuner": _on_triton("on_autotuner"),
        }

    def find_spec(
        self, name: str, path: Any = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec that the other finders give, prepared to call us back."""
        if name not in self._actions:
            return None
        if name == "torch" and PathFinder.find_spec("triton") is None:
            self._wait_for_triton_no_more()
        for finder in list(sys.meta_path):
            find_spec = getattr(finder, "find_spec", None)
            spec = find_spec(name, path, target) if find_spec and finder is not self else None
            if spec is not None:
                self._prepare(spec)
                found: ModuleSpec = spec
                return found
        return None

    def _on_all_of_triton(self, module: ModuleType, record: Record) -> None:
        from . import triton_interpreted

        self._wait_for_triton_no_more()
        triton_interpreted.on_triton(module, record)

    def _wait_for_triton_no_more(self) -> None:
        for waiting in [name for name in self._actions if name.partition(".")[0] == "triton"]:
            del self._actions[waiting]
        self._leave_if_done()

    def _leave_if_done(self) -> None:
        # What the program sees of the import system is its own again.
        if not self._actions and self in sys.meta_path:
            sys.meta_path.remove(self)

    def _prepare(self, spec: ModuleSpec) -> None:
        loader: Any = spec.loader
        record = self._record
        try:
            execute = loader.exec_module

            def exec_module(module: ModuleType) -> None:
                vars(loader).pop("exec_module", None)
                # Only now: a program may ask whether there is such a module, and import it later.
                action = self._actions.pop(module.__name__, None)
                self._leave_if_done()
                execute(module)
                if action is None:
                    return
                try:
                    action(module, record)
                except Exception as error:  # noqa: BLE001
                    record.trouble(f"import {module.__name__}", error)

            # On the instance, and gone again when it has run: the loader stays what it is.
            loader.exec_module = exec_module
        except Exception as error:  # noqa: BLE001
            record.trouble(f"watch {spec.name}", error)
