"""What the worker process does with a job."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import torch

from compilescope.mitigations import package
from compilescope.mitigations.call_state import apply_process_settings
from compilescope.mitigations.compiled_path import CompiledPath
from compilescope.mitigations.copies import Inputs
from compilescope.mitigations.parcel import unpack
from compilescope.mitigations.yielding import Yielding

CONFIGS = ("torch._dynamo.config", "torch._inductor.config", "torch._functorch.config")


class Compiler:
    """Compiles one model for one job after the other."""

    def __init__(self, setting: dict[str, Any]) -> None:
        self._setting = setting
        self._model: Any = None
        self._path: CompiledPath | None = None
        self._seen: list[list[tuple[int, ...]]] = []
        _configure(setting["configs"])

    def answer(self, job: dict[str, Any]) -> tuple[str, Any]:
        """`("package", bytes)`, `("cache", why no package)` or `("failed", why)`."""
        try:
            return self._compile(job)
        except Exception as error:  # noqa: BLE001  told to the parent, which keeps it
            return ("failed", f"{type(error).__name__}: {error}")

    def _compile(self, job: dict[str, Any]) -> tuple[str, Any]:
        apply_process_settings(job["settings"])
        if job["model"]:
            self._model, self._path = unpack(job["model"]), None
        inputs: Inputs = unpack(job["inputs"])
        dynamic, mode = self._setting["dynamic"], self._setting["mode"]
        why = "the model may have graph breaks"
        if self._setting["fullgraph"]:
            if dynamic is None:
                self._mark_what_changed(inputs)
            try:
                with job["state"].applied():
                    shell = package.Shell(self._model)
                    made = package.make(shell, inputs, dynamic=dynamic, mode=mode)
            except package.PackageError as error:
                why = str(error)
            else:
                return ("package", made)
        self._local().compile(inputs, job["state"])
        return ("cache", why)

    def _local(self) -> CompiledPath:
        """torch.compile in this process: what it compiles is in the cache folder of both."""
        if self._path is None:
            names = ("fullgraph", "dynamic", "mode")
            given = {name: self._setting[name] for name in names}
            self._path = CompiledPath(
                self._model,
                backend="inductor",
                yielding=Yielding(0, 0, 0, 0.0, freeze_garbage=False),
                **given,
            )
        return self._path

    def _mark_what_changed(self, inputs: Inputs) -> None:
        """As automatic dynamic shapes do: a size that was another before is a symbol now."""
        tensors = list(_tensors(inputs))
        shapes = [tuple(tensor.shape) for tensor in tensors]
        for earlier in self._seen:
            if len(earlier) != len(shapes):
                continue
            for tensor, before in zip(tensors, earlier, strict=True):
                if len(before) == tensor.dim():
                    changed = [
                        place for place, size in enumerate(tensor.shape)
                        if size != before[place] and size > 1
                    ]  # fmt: skip
                    for place in changed:
                        torch._dynamo.maybe_mark_dynamic(tensor, place)  # noqa: SLF001
        self._seen.append(shapes)


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _tensors(item)
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from _tensors(item)


def configs() -> dict[str, Any]:
    """What was changed in torch's settings in this process, as far as it can be sent."""
    from importlib import import_module

    found = {}
    for name in CONFIGS:
        module: Any = import_module(name)
        if hasattr(module, "save_config_portable"):
            with suppress(Exception):
                values = module.save_config_portable()
                found[name] = {
                    key: value
                    for key, value in values.items()
                    if not module._is_default(key)  # noqa: SLF001
                }
    return found


def _configure(given: dict[str, Any]) -> None:
    from importlib import import_module

    for name, values in given.items():
        module: Any = import_module(name)
        with suppress(Exception):
            module.load_config(values)
