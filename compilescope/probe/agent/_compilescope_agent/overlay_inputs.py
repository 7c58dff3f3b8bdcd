"""Inputs of the program's own calls: kept in one trial, replayed before the first call of another.

Replaying what the program really brought is the only warm-up that is sure to be valid: made-up
sizes would need made-up indexes, masks and lengths that agree with them.
"""

from __future__ import annotations

import copy
import logging
import os
import random
import sys
import time
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, Any

from . import overlay_modes
from .inputs import reader
from .torch_logs import TRACE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .overlay_arguments import Changes
    from .overlay_record import OverlayRecord

_FIRST = 6  # calls with new inputs that are kept whether they compile or not
_MOST = 40
_PLAIN = (bool, int, float, complex, str, bytes, type(None))


class _Compiles(logging.Filter):
    """Counts the compiles that begin."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def filter(self, record: logging.LogRecord) -> bool:
        if "dynamo_start" in (record.__dict__.get("metadata") or {}):
            self.count += 1
        return True


class Live:
    """Stands in a kept input for an object of the program that only the running program has."""

    def __init__(self, kind: str) -> None:
        self.kind = kind


class InputRecorder:
    """Keeps the inputs of calls that brought something new and had to be compiled for."""

    def __init__(self, record: OverlayRecord, most_bytes: int) -> None:
        self._record = record
        self._left = most_bytes
        self._seen: set[Any] = set()
        self._kept: dict[str, int] = {}
        self._pending: tuple[str, int, Any, int] | None = None
        self._compiles = _Compiles()
        if most_bytes:
            logging.getLogger(TRACE).addFilter(self._compiles)
            self._key, _ = reader()

    def before(self, name: str, index: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Copy the inputs, if they are new."""
        self._pending = None
        kept = self._kept.get(name, 0)
        if self._left <= 0 or kept >= _MOST:
            return
        torch: Any = sys.modules["torch"]
        inference, modes = torch.is_inference_mode_enabled(), overlay_modes.state()
        key = (name, self._key(args, kwargs), inference, repr(modes))
        # The same sizes can compile again, after a change of something else.
        if key in self._seen and index > 2 * _FIRST:
            return
        self._seen.add(key)
        size = sum(_bytes(leaf) for leaf in _tensors((args, kwargs), 0))
        if size > self._left:
            return
        copied = (_copied(args, 0), _copied(kwargs, 0), (inference, modes, random.getstate()))
        self._pending = (name, index, copied, self._compiles.count)
        self._left -= size

    def after(self, name: str, index: int) -> None:
        """Keep the copy, if the call compiled or is one of the first."""
        pending, self._pending = self._pending, None
        if pending is None or pending[:2] != (name, index):
            return
        compiled = self._compiles.count > pending[3]
        if not compiled and self._kept.get(name, 0) >= _FIRST:
            self._left += sum(_bytes(leaf) for leaf in _tensors(pending[2][:2], 0))
            return
        self._kept[name] = self._kept.get(name, 0) + 1
        torch: Any = sys.modules["torch"]
        path = os.path.join(
            self._record.folder, f"inputs-{os.getpid()}-{len(self._seen)}-{index}.pt"
        )
        try:
            torch.save(pending[2], path)
        except Exception as error:  # noqa: BLE001
            self._record.refused(f"inputs of {name}", f"{type(error).__name__}: {error}")
            return
        self._record.note("inputs", callable=name, index=index, path=path, compiled=compiled)


class WarmUp:
    """Calls a compiled callable with kept inputs, and leaves everything else as it was."""

    def __init__(self, record: OverlayRecord, entry: dict[str, Any]) -> None:
        self._record = record
        self._entry = entry

    def run(
        self, changes: Changes, compiled: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        """Make the calls."""
        torch: Any = sys.modules["torch"]
        began = time.time_ns()
        for path in self._entry["inputs"]:
            self._call(torch.load(path, weights_only=False), changes, compiled, args, kwargs)
        self._record.note("warm_up", callable=changes.name, began=began, ended=time.time_ns())

    def _call(
        self, kept: Any, changes: Changes, compiled: Any, args: Any, kwargs: dict[str, Any]
    ) -> None:
        try:
            places, named, state = kept
            given = _alive(tuple(places), args)
            words = {key: _alive(value, kwargs.get(key)) for key, value in named.items()}
            with _as_before(changes.receiver, (args, kwargs)), _state(state), ExitStack() as held:
                given, words = changes.apply(given, words)
                changes.modes.enter(held)
                compiled(*given, **words)
            self._record.applied("warm_up")
        except Exception as error:  # noqa: BLE001
            self._record.refused("warm_up", f"{type(error).__name__}: {error}")


@contextmanager
def _state(state: tuple[bool, dict[str, Any], Any]) -> Iterator[None]:
    torch: Any = sys.modules["torch"]
    inference, modes, drawn = state
    # A branch on a random number is taken again as it was.
    random.setstate(drawn)
    with torch.inference_mode() if inference else nullcontext(), overlay_modes.held(modes):
        yield


@contextmanager
def _as_before(receiver: Any, values: Any) -> Iterator[None]:
    """Undo what the calls inside do to random generators, modules and their counters."""
    torch: Any = sys.modules["torch"]
    numpy: Any = sys.modules.get("numpy")
    modules = [receiver] if isinstance(receiver, torch.nn.Module) else []
    modules += [leaf for leaf in _objects(values, 0) if isinstance(leaf, torch.nn.Module)]
    every = [one for module in modules for one in module.modules()]
    buffers = [(buffer, buffer.detach().clone()) for one in modules for buffer in one.buffers()]
    owners = [*every, *([] if receiver is None or modules else [receiver])]
    plain = [(one, _plain(one)) for one in owners if hasattr(one, "__dict__")]
    states = (random.getstate(), numpy and numpy.random.get_state())
    devices = range(torch.cuda.device_count()) if torch.cuda.is_initialized() else ()
    with torch.random.fork_rng(devices=list(devices)):
        yield
    random.setstate(states[0])
    if numpy:
        numpy.random.set_state(states[1])
    with torch.no_grad():
        for buffer, old in buffers:
            buffer.copy_(old)
    for one, attributes in plain:
        with suppress(Exception):
            vars(one).update(attributes)


def _plain(one: Any) -> dict[str, Any]:
    found = {}
    for name, value in vars(one).items():
        if name.startswith("_") and name in ("_modules", "_parameters", "_buffers"):
            continue
        if type(value) in _PLAIN:
            found[name] = value
        elif type(value) in (list, dict, set):
            found[name] = copy.copy(value)
    return found


def _copied(value: Any, depth: int) -> Any:
    torch: Any = sys.modules["torch"]
    kind = type(value)
    if isinstance(value, torch.Tensor):
        return _tensor(torch, value)
    if kind in _PLAIN:
        return value
    if depth < 6:
        if kind in (list, tuple):
            return kind(_copied(part, depth + 1) for part in value)
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return kind(*(_copied(part, depth + 1) for part in value))
        if kind is dict:
            return {key: _copied(part, depth + 1) for key, part in value.items()}
    if _is_data(value, depth):
        with suppress(Exception):  # of classes that forbid it
            return copy.deepcopy(value)
    return Live(f"{kind.__module__}.{kind.__qualname__}")


def _is_data(value: Any, depth: int) -> bool:
    """Whether an object of the program's holds nothing but data, as a cache or a batch does."""
    torch: Any = sys.modules["torch"]
    if type(value) in (*_PLAIN, torch.dtype, torch.device):
        return True
    if isinstance(value, torch.Tensor):
        return type(value) is torch.Tensor and value.grad_fn is None
    if isinstance(value, type):
        return _can_be_named(value)
    if type(value) in (list, tuple, set):
        return depth < 8 and all(_is_data(part, depth + 1) for part in value)
    if type(value) is dict:
        parts = [*value, *value.values()]
        return depth < 8 and all(_is_data(part, depth + 1) for part in parts)
    # A module is known by its parameters, and what can be called does more than hold.
    if (
        isinstance(value, torch.nn.Module)
        or callable(value)
        or not getattr(value, "__dict__", None)
    ):
        return False
    return _can_be_named(type(value)) and _is_data(vars(value), depth + 1)


def _can_be_named(kind: type) -> bool:
    """Whether another process finds the class again by its name."""
    module = sys.modules.get(kind.__module__)
    return getattr(module, kind.__qualname__, None) is kind


def _tensor(torch: Any, value: Any) -> Any:
    with torch.no_grad():
        plain = value.detach()
        if type(plain) is not torch.Tensor:
            return plain.clone().requires_grad_(value.requires_grad)
        try:
            new = torch.empty_strided(
                plain.shape, plain.stride(), dtype=plain.dtype, device=plain.device
            )
            new.copy_(plain)
        except (RuntimeError, NotImplementedError):
            new = plain.clone()
    return new.requires_grad_(value.requires_grad)


def _alive(value: Any, now: Any) -> Any:
    """`value` with the running program's own objects where they had to be left out."""
    if isinstance(value, Live):
        if f"{type(now).__module__}.{type(now).__qualname__}" != value.kind:
            raise LookupError(f"the first call brings no {value.kind}")
        return now
    if isinstance(value, (list, tuple)):
        theirs = list(now) if isinstance(now, (list, tuple)) else []
        parts = [
            _alive(part, theirs[place] if place < len(theirs) else None)
            for place, part in enumerate(value)
        ]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    if isinstance(value, dict):
        known = now if isinstance(now, dict) else {}
        return {key: _alive(part, known.get(key)) for key, part in value.items()}
    return value


def _objects(value: Any, depth: int) -> Iterator[Any]:
    if isinstance(value, (list, tuple)) and depth < 6:
        for part in value:
            yield from _objects(part, depth + 1)
    elif isinstance(value, dict) and depth < 6:
        for part in value.values():
            yield from _objects(part, depth + 1)
    elif type(value) not in _PLAIN:
        yield value


def _tensors(value: Any, depth: int) -> Iterator[Any]:
    torch: Any = sys.modules["torch"]
    for leaf in _objects(value, depth):
        if isinstance(leaf, torch.Tensor):
            yield leaf
        elif _is_data(leaf, depth):
            yield from _tensors(getattr(leaf, "__dict__", {}), depth + 1)


def _bytes(tensor: Any) -> int:
    try:
        return int(tensor.numel() * tensor.element_size())
    except Exception:  # noqa: BLE001
        return 0
