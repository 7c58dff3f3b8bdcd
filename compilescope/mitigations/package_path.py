"""Graphs from a worker process: the serving process neither traces nor generates code."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from torch._dynamo import config

from compilescope.errors import UsageError
from compilescope.mitigations.call_state import CallState
from compilescope.mitigations.compiled_path import MISS, CompiledPath
from compilescope.mitigations.copies import Inputs
from compilescope.mitigations.package import Package, PackageError, Shell
from compilescope.mitigations.parcel import ParcelError, pack
from compilescope.mitigations.rehearsal import Rehearsed, rehearsal
from compilescope.mitigations.worker import Worker, WorkerError
from compilescope.mitigations.yielding import Yielding, giving_way


class PackagePath:
    """Packages by their guards; what cannot be packaged is compiled here, from a warm cache."""

    def __init__(
        self,
        model: Callable[..., Any],
        *,
        fullgraph: bool,
        dynamic: bool | None,
        mode: str | None,
        yielding: Yielding,
    ) -> None:
        """Start the worker.

        Raises:
            UsageError: the model cannot be sent to another process.
        """
        try:
            packed = pack(model)
        except ParcelError as error:
            raise UsageError(
                "the model cannot be sent to a worker process",
                cause=str(error),
                hint='define its classes and functions in a module, or use worker="thread"',
            ) from error
        self._model = model
        self._shell = Shell(model)
        self._yielding = yielding
        self._packages: tuple[Package, ...] = ()
        self.notices: deque[str] = deque(maxlen=16)
        self._local = CompiledPath(
            model, fullgraph=fullgraph, dynamic=dynamic, mode=mode, backend="inductor",
            yielding=yielding,
        )  # fmt: skip
        self._compiled_here = False
        self._worker = Worker(
            nice=10 if yielding.nice is None else yielding.nice, compilers=yielding.compilers,
            main=b"__main__" in packed, fullgraph=fullgraph, dynamic=dynamic, mode=mode,
        )  # fmt: skip

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result of a graph whose guards hold, or MISS."""
        for package in self._packages:
            if package.fits(args, kwargs):
                return package.run(args, kwargs)
        return self._local.call(args, kwargs) if self._compiled_here else MISS

    def has(self, inputs: Inputs, state: CallState) -> bool:
        """Whether a graph takes `inputs`."""
        with state.applied():
            if any(package.fits(*inputs) for package in self._packages):
                return True
        return self._compiled_here and self._local.has(inputs, state)

    def compile(self, inputs: Inputs, state: CallState) -> None:
        """Have the worker compile, load what it made, and run that once.

        Raises:
            WorkerError: the worker failed, or there are as many graphs as torch allows.
            ParcelError: the inputs cannot be sent.
        """
        most = int(getattr(config, "recompile_limit", 8))
        if len(self._packages) >= most:
            raise WorkerError(f"there are {most} graphs, torch._dynamo.config.recompile_limit")
        packed = pack(self._model), pack(inputs, values=True)
        kind, content = self._worker.compile(*packed, state)
        if kind == "failed":
            raise WorkerError(content)
        if kind == "package":
            try:
                self._load(content, inputs, state)
            except PackageError as error:
                content = str(error)
            else:
                return
        self.notices.append(f"compiled in this process, from the worker's cache: {content}")
        self._local.compile(inputs, state)
        self._compiled_here = True

    def close(self) -> None:
        """End the worker; the packages stay."""
        self._worker.close()

    def _load(self, packed: bytes, inputs: Inputs, state: CallState) -> None:
        with giving_way(self._yielding), state.applied():
            package = Package(self._shell, packed)
            if package.fits(*inputs):
                try:
                    with rehearsal():
                        package.run(*inputs)
                except Rehearsed:
                    pass
                except Exception as error:
                    raise PackageError(f"{type(error).__name__}: {error}") from error
            else:
                why = package.why_not(*inputs)
                self.notices.append(f"its graph does not take the inputs it was made for: {why}")
        self._packages = (package, *self._packages)
