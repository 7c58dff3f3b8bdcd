"""Graphs as bytes: compiled in one process, guarded and run in another that never traces.

It stands on torch's own ahead-of-time compile (`torch._dynamo.aot_compile`, torch 2.10 and later),
which keeps the guards on the inputs and on the module with the graph. Guards on module-level global
variables are not kept: a global that the model reads must not change.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from compilescope.mitigations.copies import Inputs
from compilescope.mitigations.rehearsal import rehearsing


class Shell(torch.nn.Module):
    """A module around any callable, so that hooks of the model are traced too."""

    def __init__(self, model: Callable[..., Any]) -> None:
        super().__init__()
        self.model = model

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The model's result."""
        return self.model(*args, **kwargs)


class PackageError(Exception):
    """This torch, or this model, has no ahead-of-time compile."""


def make(shell: Shell, inputs: Inputs, *, dynamic: bool | None, mode: str | None) -> bytes:
    """Compile `shell` for `inputs`, run it once so that what is tuned at run time is tuned.

    Raises:
        PackageError: it cannot be done; the text says why.
    """
    try:
        from torch._dynamo.aot_compile import AOTCompiledModel, aot_compile_fullgraph
        from torch._dynamo.hooks import Hooks

        wrapper: Any = torch._TorchCompileInductorWrapper  # noqa: SLF001
        function = aot_compile_fullgraph(
            shell.forward, inputs, Hooks(), wrapper(mode, None, dynamic), dynamic=dynamic
        )
        packed: bytes = AOTCompiledModel(shell, [function]).serialize()
        args, kwargs = inputs
        function.fn(shell, *args, **kwargs)
    except Exception as error:
        raise PackageError(f"{type(error).__name__}: {error}") from error
    return packed


class Package:
    """One graph with its guards, for the live model."""

    def __init__(self, shell: Shell, packed: bytes) -> None:
        """Load what `make` returned.

        Raises:
            PackageError: it does not fit this process.
        """
        try:
            from torch._dynamo.aot_compile import AOTCompiledModel

            (self._function,) = AOTCompiledModel.deserialize(shell, packed).compiled_results
            artifacts = self._function._artifacts  # noqa: SLF001
            names = self._function.fn.__globals__
            names[artifacts.backend_id] = rehearsing(artifacts.compiled_fn)
            self._guards: Any = artifacts.guard_manager
        except Exception as error:
            raise PackageError(f"{type(error).__name__}: {error}") from error
        self._shell = shell

    def fits(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Whether the guards hold for these arguments and the model as it is."""
        # What AOTCompiledFunction.guard_check makes of the arguments of `Shell.forward`.
        names = {"self": self._shell, "args": args, "kwargs": kwargs}
        return bool(self._guards.check(names))

    def why_not(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
        """The guards that do not hold, in torch's words."""
        names = {"self": self._shell, "args": args, "kwargs": kwargs}
        parts = self._guards.check_verbose(names).verbose_code_parts
        return "; ".join(part.partition("  #")[0].strip() for part in parts)

    def run(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result, for arguments that fit."""
        return self._function.fn(self._shell, *args, **kwargs)
