"""The remedies of a trial, applied from outside: read from a file, put into this process's torch.

Only `compilescope tune` and its kin name such a file, for runs that nobody depends on; a plain
probe never loads this module. What could not be applied is written down with the reason.
"""

from __future__ import annotations

import functools
import inspect
import json
import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import overlay_functions, overlay_source, overlay_stances
from .callables import module_of, written
from .overlay_record import OverlayRecord
from .overlay_regions import Regions

if TYPE_CHECKING:
    from types import ModuleType

VARIABLE = "COMPILESCOPE_OVERLAY"
MODULES = {
    "dynamo": "torch._dynamo.config",
    "inductor": "torch._inductor.config",
    "compiler": "torch.compiler.config",
    "shapes": "torch.fx.experimental._config",
    "functorch": "torch._functorch.config",
}


class Overlay:
    """What to change in this process."""

    def __init__(self, content: dict[str, Any], folder: str) -> None:
        self.record = OverlayRecord(folder)
        self.config: dict[str, Any] = content.get("config", {})
        self.compile: list[dict[str, Any]] = content.get("compile", [])
        self.arguments: list[dict[str, Any]] = content.get("arguments", [])
        self.attributes: list[dict[str, Any]] = content.get("attributes", [])
        self.modes: list[dict[str, Any]] = content.get("modes", [])
        self.functions: list[dict[str, Any]] = content.get("functions", [])
        self.warm_up: list[dict[str, Any]] = content.get("warm_up", [])
        self.order: list[dict[str, Any]] = content.get("order", [])
        self.observe: dict[str, Any] = content.get("observe", {})
        sources: dict[str, str] = content.get("sources", {})
        self.sources = {os.path.realpath(path): text for path, text in sources.items()}
        self.stance: dict[str, Any] = content.get("stance", {})
        self.regions = Regions(self) if content.get("regional") else None
        self.serve: dict[str, Any] = content.get("serve", {})
        self.cache: str = content.get("cache", "")
        self.save_cache: str = content.get("save_cache", "")
        self._frozen = False
        self.misses: overlay_stances.Misses | None = None
        self._ready = False

    def on_torch(self, torch: Any) -> None:
        """Take over torch.compile's own arguments."""
        if self.compile or self.regions is not None:
            torch.compile = self._compile(torch.compile)

    def settle(self) -> None:
        """Put every setting in place; again before each first call, since programs set them too."""
        for name, value in self.config.items():
            self._set(name, value)
        if self._ready:
            return
        self._ready = True
        torch: Any = sys.modules["torch"]
        for entry in self.functions:
            self._try(f"function {entry.get('name')}", overlay_functions.apply, entry)
        if self.stance and not self.stance.get("after"):
            self._try("stance", self._stance)
        if self.cache:
            self._try("cache", _load_cache, torch, self.cache)
        if self.save_cache:
            import atexit

            atexit.register(self._try, "save_cache", _save_cache, torch, self.save_cache)

    def _try(self, what: str, action: Any, *arguments: Any) -> None:
        try:
            action(*arguments)
        except Exception as error:  # noqa: BLE001
            self.record.refused(what, f"{type(error).__name__}: {error}")
        else:
            self.record.applied(what)

    def _set(self, name: str, value: Any) -> None:
        prefix, _, key = name.partition(".")
        try:
            module: Any = import_module(MODULES[prefix])
            *owners, last = key.split(".")
            for owner in owners:
                module = getattr(module, owner)
            if not hasattr(module, last):
                self.record.refused(name, "this torch has no such setting")
                return
            if getattr(module, last) != value:
                setattr(module, last, value)
            self.record.applied(name)
        except Exception as error:  # noqa: BLE001
            self.record.refused(name, f"{type(error).__name__}: {error}")

    def _compile(self, original: Any) -> Any:
        known = inspect.signature(original).parameters

        @functools.wraps(original)
        def compile(model: Any = None, **given: Any) -> Any:  # noqa: A001  it stands in for torch.compile
            if model is None:
                return lambda function: compile(function, **given)
            keywords = self._keywords(model, given, known)
            if self.regions is not None:
                return self.regions.compile(original, model, keywords)
            return original(model, **keywords)

        return compile

    def called(self, count: int) -> None:
        """Take the stance that is due once a callable has had `count` calls."""
        if self.stance.get("after") == count and not self._frozen:
            self._frozen = True
            self._try("stance", self._stance)

    def _stance(self) -> None:
        self.misses = overlay_stances.take(self.stance["name"])

    def _keywords(self, model: Any, given: dict[str, Any], known: Any) -> dict[str, Any]:
        name = name_of(model)
        changed = dict(given)
        for entry in self.compile:
            if entry.get("callable") not in ("", None, name):
                continue
            for key, value in entry["keywords"].items():
                if key not in known:
                    self.record.refused(f"torch.compile {key}", "this torch has no such argument")
                elif key == "options" and value is not None:
                    changed[key] = {**(changed.get(key) or {}), **value}
                else:
                    changed[key] = value
                self.record.applied(f"torch.compile {key}")
        if changed.get("mode") and changed.get("options"):
            changed.pop("options")
        return changed


def name_of(model: Any) -> str:
    """The name under which the record lists what was given to torch.compile."""
    torch: Any = sys.modules["torch"]
    module = model if isinstance(model, torch.nn.Module) else module_of(model)
    if module is not None:
        return type(module).__qualname__
    inner = written(model)
    return str(getattr(inner, "__qualname__", type(inner).__qualname__))


@functools.lru_cache(maxsize=1)
def current() -> Overlay | None:
    """The overlay that this process was given, None in all but trials."""
    path = os.environ.get(VARIABLE)
    folder = os.environ.get("COMPILESCOPE_RAW")
    if not path or not folder:
        return None
    with open(path, encoding="utf-8") as file:
        overlay = Overlay(json.load(file), folder)
    if overlay.sources:
        overlay_source.replace(
            overlay.sources, lambda path: overlay.record.applied(f"source {path}")
        )
    return overlay


def on_torch(torch: ModuleType) -> None:
    """Apply what concerns torch itself."""
    overlay = current()
    if overlay is not None:
        overlay.on_torch(torch)


def on_compiler(eval_frame: ModuleType) -> None:
    """Apply what concerns the compiler."""
    overlay = current()
    if overlay is not None:
        from . import overlay_calls

        overlay_calls.watch(eval_frame, overlay)


def _load_cache(torch: Any, path: str) -> None:
    with open(path, "rb") as file:
        torch.compiler.load_cache_artifacts(file.read())


def _save_cache(torch: Any, path: str) -> None:
    saved = torch.compiler.save_cache_artifacts()
    if saved is None:
        raise RuntimeError("torch kept no artifacts: nothing that was compiled can be cached")
    with open(path, "wb") as file:
        file.write(saved[0])
