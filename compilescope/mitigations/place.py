"""What compiled code depends on: this torch, this device, this code."""

from __future__ import annotations

import hashlib
import inspect
import platform
import sys
from collections.abc import Callable
from typing import Any

import torch


def environment(device: str | None = None) -> dict[str, str]:
    """The parts of this machine that compiled code is made for, by name.

    Args:
        device: `"cpu"` or `"cuda"`; the GPU where there is one by default.
    """
    cuda = torch.cuda.is_available() if device is None else device.startswith("cuda")
    return {
        "torch": torch.__version__,
        "python": ".".join(map(str, sys.version_info[:2])),
        "system": f"{platform.system()} {platform.machine()}",
        "device": _gpu() if cuda else f"cpu {torch.backends.cpu.get_cpu_capability()}",
        "triton": _triton(),
    }


def _gpu() -> str:
    major, minor = torch.cuda.get_device_capability()
    runtime = torch.version.cuda or getattr(torch.version, "hip", None) or "?"
    return f"{torch.cuda.get_device_name()} sm_{major}{minor}, CUDA {runtime}"


def _triton() -> str:
    try:
        import triton  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError:
        return "none"
    return str(triton.__version__)


def code_digest(model: Callable[..., Any]) -> str:
    """A digest of the source of `model`: of its classes where it is a module, else the function.

    Parts of torch itself do not count, which its version covers. Where a source is not at hand (an
    interactive session), the bytecode takes its place.
    """
    digest = hashlib.sha256()
    for item in sorted(_written(model), key=_name):
        digest.update(f"{_name(item)}\n{_text(item)}\n".encode())
    return digest.hexdigest()[:32]


def _written(model: Any) -> set[Any]:
    inner = getattr(model, "_orig_mod", None) or getattr(model, "_torchdynamo_orig_callable", model)
    inner = inspect.unwrap(inner) if inspect.isfunction(inner) else inner
    receiver = getattr(inner, "__self__", None)
    if isinstance(receiver, torch.nn.Module):
        inner = receiver
    if not isinstance(inner, torch.nn.Module):
        return {inner if inspect.isroutine(inner) else type(inner)}
    kinds = {kind for part in inner.modules() for kind in type(part).__mro__}
    return {
        kind for kind in kinds if kind.__module__.partition(".")[0] not in ("torch", "builtins")
    }


def _name(item: Any) -> str:
    # A script's own classes are in __main__ or under its name, depending on who runs it.
    return str(getattr(item, "__qualname__", type(item).__qualname__))


def _text(item: Any) -> str:
    try:
        return inspect.getsource(item)
    except (OSError, TypeError):
        functions = vars(item).values() if isinstance(item, type) else [item]
        codes = [getattr(function, "__code__", None) for function in functions]
        return "".join(code.co_code.hex() for code in codes if code is not None)
