"""`aot_or_eager`: a graph compiled ahead of time within bounds, and eager code outside them."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import subprocess
import sys
import tempfile
import threading
from collections import Counter, deque
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import spawn
from typing import Any

import torch

from compilescope.errors import InputError, ProgramError, UsageError
from compilescope.mitigations import bounds, files, place

_log = logging.getLogger(__name__)
_MOST_LOGGED = 64
_TRIAL = "import sys, torch; torch._inductor.aoti_load_package(sys.argv[1])"
_LONGEST_TRIAL = 600  # seconds


class AheadOfTime:
    """A model served by an ahead-of-time graph where it can be; made by `aot_or_eager`."""

    def __init__(
        self, model: torch.nn.Module, graph: Any, limits: dict[str, Any],
        otherwise: Callable[..., Any], on_violation: Callable[[str], None] | None,
    ) -> None:  # fmt: skip
        self._model = model
        self._graph = graph
        self._limits = limits
        self._otherwise = otherwise
        self._on_violation = on_violation
        self._lock = threading.Lock()
        self._seen: set[str] = set()
        self._violations: deque[str] = deque(maxlen=_MOST_LOGGED)
        self.counts: Counter[str] = Counter()
        self._parameters = tuple(model.parameters())
        self._training = bool(getattr(model, "training", False))
        self._pointers: tuple[int, ...] = ()
        self._weights_lock = threading.Lock()
        self._load_weights()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The model's result."""
        wrong = self._wrong(args, kwargs)
        if wrong:
            self._note(wrong)
            return self._otherwise(*args, **kwargs)
        self._load_weights()
        self.counts["ahead"] += 1
        return self._graph(*args, **dict(sorted(kwargs.items())))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_model"], name)

    @property
    def violations(self) -> tuple[str, ...]:
        """The last 64 calls outside the bounds, in words."""
        return tuple(self._violations)

    def _wrong(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
        if getattr(self._model, "training", False) != self._training:
            return f"the model's training mode is not {self._training}"
        if any(torch.is_autocast_enabled(device) for device in ("cpu", "cuda")):
            return "autocast is on"
        wrong = bounds.violation(self._limits, args, kwargs)
        if wrong or not torch.is_grad_enabled():
            return wrong
        given = torch.utils._pytree.tree_leaves((args, kwargs))  # noqa: SLF001
        tensors = [*self._parameters, *(item for item in given if isinstance(item, torch.Tensor))]
        return "gradients are wanted" if any(item.requires_grad for item in tensors) else ""

    def _note(self, wrong: str) -> None:
        with self._lock:
            self.counts["otherwise"] += 1
            self._violations.append(wrong)
            new = wrong not in self._seen and len(self._seen) < _MOST_LOGGED
            if new:
                self._seen.add(wrong)
        if new:
            _log.warning("outside the bounds of the ahead-of-time graph: %s", wrong)
        if self._on_violation is not None:
            try:
                self._on_violation(wrong)
            except Exception:  # noqa: BLE001  a listener's fault is not the call's
                _log.exception("on_violation of aot_or_eager raised")

    def _load_weights(self) -> None:
        """Let the graph use the live weights: the package holds those of when it was made."""
        pointers = tuple(item.data_ptr() for item in self._parameters)
        if pointers == self._pointers:
            return
        with self._weights_lock:
            live: dict[str, torch.Tensor] = dict(
                self._model.named_parameters(remove_duplicate=False)
            )
            live.update(self._model.named_buffers(remove_duplicate=False))
            wanted = self._graph.get_constant_fqns()
            used = {name: live[name].detach() for name in wanted if name in live}
            if used:
                self._graph.load_constants(used, check_full_update=False, user_managed=True)
            self._used = used  # the graph only points at them
            self._pointers = pointers


def aot_or_eager(
    model: Callable[..., Any],
    sample_args: tuple[Any, ...],
    dynamic_shapes: Any = None,
    *,
    sample_kwargs: dict[str, Any] | None = None,
    cache_dir: str | os.PathLike[str] | None = None,
    otherwise: str | Callable[..., Any] = "eager",
    on_violation: Callable[[str], None] | None = None,
) -> AheadOfTime:
    """`model` as an AOTInductor package within bounds, and as it is outside them.

    The package is made with `torch.export` and kept in `cache_dir` under a key of the model's
    source, the names, sizes and types of its weights, the inputs, the bounds, torch and the device;
    where any of them is another, it is made anew. No call traces or compiles anything.

    What is exported is for inference: calls that want gradients, run under autocast or after
    `train()` go to `otherwise`. Weights are those of the live module, also after an optimizer step
    or `load_state_dict`; a parameter that is replaced by another object is not seen.

    Args:
        model: A module, in the mode it is served in.
        sample_args: Positional arguments as a call brings them; sizes that vary must be 2 or more.
        dynamic_shapes: As in `torch.export.export`; see `suggest_bounds`. None fixes all sizes.
        sample_kwargs: Keyword arguments.
        cache_dir: Where packages are kept; torch's cache folder by default.
        otherwise: "eager", "compile" (torch.compile with dynamic sizes) or a callable of your own.
        on_violation: Called with the words for each call that is outside.

    Raises:
        UsageError: `model` is no module, or `otherwise` is another word.
        ProgramError: the model cannot be exported or compiled, or what was compiled cannot be
            loaded; the cause is torch's.
        InputError: the cache folder cannot be written.
    """
    if not isinstance(model, torch.nn.Module):
        raise UsageError("aot_or_eager needs a module", hint="torch.export exports nothing else")
    other = _otherwise(model, otherwise)
    kwargs = dict(sorted((sample_kwargs or {}).items()))
    folder = os.fspath(cache_dir) if cache_dir is not None else _default_folder()
    path = os.path.join(folder, f"{_key(model, sample_args, kwargs, dynamic_shapes)}.pt2")
    found = _cached(path)
    if found is None:
        found = _build(model, sample_args, kwargs, dynamic_shapes, path)
    graph, limits = found
    return AheadOfTime(model, graph, limits, other, on_violation)


def _otherwise(model: Any, otherwise: str | Callable[..., Any]) -> Callable[..., Any]:
    if callable(otherwise):
        return otherwise
    if otherwise == "eager":
        eager: Callable[..., Any] = model
        return eager
    if otherwise == "compile":
        compiled: Callable[..., Any] = torch.compile(model, dynamic=True)
        return compiled
    raise UsageError(f"aot_or_eager has no way {otherwise!r}", hint='"eager" or "compile"')


def _default_folder() -> str:
    from torch._inductor.runtime.cache_dir_utils import default_cache_dir

    root = os.environ.get("TORCHINDUCTOR_CACHE_DIR") or default_cache_dir()
    return os.path.join(root, "compilescope-aot")


def _key(model: torch.nn.Module, args: Any, kwargs: Any, dynamic_shapes: Any) -> str:
    leaves = torch.utils._pytree.tree_leaves((args, kwargs))  # noqa: SLF001
    inputs = [
        (tuple(item.shape), item.stride(), str(item.dtype), str(item.device))
        if isinstance(item, torch.Tensor)
        else repr(item)
        for item in leaves
    ]
    weights = [
        (name, tuple(item.shape), item.stride(), str(item.dtype), str(item.device))
        for name, item in model.state_dict(keep_vars=True).items()
    ]
    plain = [
        (name, key, repr(value))
        for name, part in model.named_modules()
        for key, value in sorted(vars(part).items())
        if isinstance(value, (bool, int, float, str, tuple, type(None), torch.dtype))
    ]
    cuda = any("cuda" in str(item) for item in (inputs, weights))
    parts = (
        "1",
        place.environment("cuda" if cuda else "cpu"),
        place.code_digest(model),
        bounds.structure(args, kwargs),
        inputs,
        weights,
        plain,
        torch.get_float32_matmul_precision(),
        _text(dynamic_shapes),
    )
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:40]


def _text(shapes: Any) -> str:
    """Dynamic shapes as text that is equal for equal bounds."""
    if isinstance(shapes, dict):
        return "{" + ",".join(f"{key}:{_text(value)}" for key, value in shapes.items()) + "}"
    if isinstance(shapes, (tuple, list)):
        return "[" + ",".join(map(_text, shapes)) + "]"
    low, high = getattr(shapes, "min", ""), getattr(shapes, "max", "")
    return f"{getattr(shapes, '__name__', shapes)}({low},{high})"


def _cached(path: str) -> tuple[Any, dict[str, Any]] | None:
    try:
        with open(f"{path}.json", encoding="utf-8") as file:
            limits = json.load(file)
        return _load(path), limits
    except FileNotFoundError:
        return None
    except Exception as error:  # noqa: BLE001  whatever is wrong with it, it is made anew
        _log.warning("the ahead-of-time package %s cannot be loaded: %s", path, error)
        return None


def _build(
    model: torch.nn.Module, args: Any, kwargs: Any, dynamic_shapes: Any, path: str
) -> tuple[Any, dict[str, Any]]:
    folder = os.path.dirname(path)
    try:
        os.makedirs(folder, exist_ok=True)
        made = tempfile.mkdtemp(dir=folder)
    except OSError as error:
        raise InputError(f"cannot write {folder}", cause=error.strerror or str(error)) from error
    part = os.path.join(made, "package.pt2")
    try:
        with torch.no_grad():
            exported = torch.export.export(model, args, kwargs, dynamic_shapes=dynamic_shapes)
            torch._inductor.aoti_compile_and_package(exported, package_path=part)  # noqa: SLF001
        if _on_gpu(model, args, kwargs):
            _try_loading(part)
        limits = bounds.describe(exported, args, kwargs)
        # The bounds last: a package without them is not looked at.
        os.replace(part, path)
        files.write(f"{path}.json", json.dumps(limits).encode())
        return _load(path), limits
    except (InputError, ProgramError):
        raise
    except Exception as error:
        raise ProgramError(
            "the model cannot be compiled ahead of time",
            cause=f"{type(error).__name__}: {error}",
            hint="background_compile needs no export",
        ) from error
    finally:
        with suppress(OSError):
            if os.path.exists(part):
                os.unlink(part)
            os.rmdir(made)


def _on_gpu(model: torch.nn.Module, args: Any, kwargs: Any) -> bool:
    leaves = torch.utils._pytree.tree_leaves((args, kwargs))  # noqa: SLF001
    tensors = [*model.parameters(), *(one for one in leaves if isinstance(one, torch.Tensor))]
    return any(one.is_cuda for one in tensors)


def _try_loading(path: str) -> None:
    """Load it in another process first: on an H200 torch 2.11 crashed there, even for a Linear."""
    program = os.fsdecode(spawn.get_executable() or sys.executable)
    try:
        done = subprocess.run(  # noqa: S603  our own line
            [program, "-c", _TRIAL, path], stdin=subprocess.DEVNULL, capture_output=True,
            timeout=_LONGEST_TRIAL, check=False,
        )  # fmt: skip
        why = f"a process that tried it ended with signal {-done.returncode}"
        broken = done.returncode < 0
    except subprocess.TimeoutExpired:
        why, broken = f"a process that tried it was not done after {_LONGEST_TRIAL} s", True
    if broken:
        raise ProgramError(
            "torch cannot load the ahead-of-time package that it made",
            cause=why,
            hint="the service runs without it: background_compile needs no package",
        )


def _load(path: str) -> Any:
    return torch._inductor.aoti_load_package(path)  # noqa: SLF001
