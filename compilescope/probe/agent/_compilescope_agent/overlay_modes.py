"""The process-wide settings that a graph is compiled under: read, and held while a call runs."""

from __future__ import annotations

import sys
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from .overlay_record import OverlayRecord

    Get = Callable[[Any], Any]
    Hold = Callable[[Any, Any], AbstractContextManager[None]]

FIRST = "first"  # in place of a value: the one that the first call had
_DEVICES = ("cpu", "cuda", "xpu", "mps")


def state() -> dict[str, Any]:
    """Every setting that this torch has, as plain values."""
    found = {}
    for name, (get, _) in MODES.items():
        with suppress(Exception):
            found[name] = get(sys.modules["torch"])
    return found


@contextmanager
def held(values: dict[str, Any]) -> Iterator[None]:
    """Set what differs from `values`, and set it back.

    Raises:
        Exception: of torch, where it does not take a value.
    """
    torch: Any = sys.modules["torch"]
    now = state()
    with ExitStack() as stack:
        for name, value in values.items():
            if now.get(name) != value:
                stack.enter_context(MODES[name][1](torch, value))
        yield


class Holder:
    """Holds settings during the calls of one callable."""

    def __init__(self, entries: list[dict[str, Any]], record: OverlayRecord) -> None:
        self._entries = entries
        self._record = record
        self._values: dict[str, Any] = {}

    def enter(self, stack: ExitStack) -> None:
        """Hold them until `stack` is closed.

        Raises:
            LookupError: this torch cannot tell the setting.
        """
        for entry in self._entries:
            name = entry["mode"]
            if name not in self._values:
                self._values[name] = self._value(name, entry["value"])
        if self._values:
            stack.enter_context(held(self._values))

    def _value(self, name: str, wanted: Any) -> Any:
        now = state()
        if name not in now:
            raise LookupError(f"this torch does not tell {name}")
        value = now[name] if wanted == FIRST else wanted
        self._record.note("held", mode=name, value=value)
        self._record.applied(f"mode {name}")
        return value


def _autocast(torch: Any) -> Any:
    found = {}
    for device in _DEVICES:
        with suppress(Exception):
            enabled = torch.is_autocast_enabled(device)
            found[device] = [enabled, _short(torch.get_autocast_dtype(device))]
    return [found, torch.is_autocast_cache_enabled()]


def _set_autocast(torch: Any, value: Any) -> None:
    devices, cache = value
    for device, (enabled, dtype) in devices.items():
        torch.set_autocast_dtype(device, getattr(torch, dtype))
        torch.set_autocast_enabled(device, enabled)
    torch.set_autocast_cache_enabled(cache)


def _deterministic(torch: Any) -> Any:
    warn_only = torch.is_deterministic_algorithms_warn_only_enabled()
    return [torch.are_deterministic_algorithms_enabled(), warn_only]


def _set_deterministic(torch: Any, value: Any) -> None:
    torch.use_deterministic_algorithms(value[0], warn_only=value[1])


def _devices(torch: Any) -> Any:
    """The devices of the active `torch.device` contexts, outermost first."""
    from torch.utils._device import DeviceContext

    modes = torch.overrides._get_current_function_mode_stack()  # noqa: SLF001
    if not all(type(mode) is DeviceContext for mode in modes):
        raise LookupError("another function mode is active")
    return [str(mode.device) for mode in modes]


@contextmanager
def _on_devices(torch: Any, names: list[str]) -> Iterator[None]:
    from torch.utils import _device

    overrides, current = torch.overrides, _device.CURRENT_DEVICE
    count = overrides._len_torch_function_stack  # noqa: SLF001
    # The program's own contexts are put back as they are: each of them has its end still to come.
    theirs = [overrides._pop_mode() for _ in range(count())]  # noqa: SLF001
    _device.CURRENT_DEVICE = None
    for name in names:
        context = _device.DeviceContext(torch.device(name))
        overrides._push_mode(context)  # noqa: SLF001
        _device.CURRENT_DEVICE = context.device
    try:
        yield
    finally:
        while count():
            overrides._pop_mode()  # noqa: SLF001
        for mode in reversed(theirs):
            overrides._push_mode(mode)  # noqa: SLF001
        _device.CURRENT_DEVICE = current


def _setting(get: Get, put: Callable[[Any, Any], Any]) -> tuple[Get, Hold]:
    @contextmanager
    def hold(torch: Any, value: Any) -> Iterator[None]:
        before = get(torch)
        put(torch, value)
        try:
            yield
        finally:
            put(torch, before)

    return get, hold


def _reduced(name: str) -> tuple[Get, Hold]:
    return _setting(
        lambda torch: getattr(torch.backends.cuda.matmul, name),
        lambda torch, value: setattr(torch.backends.cuda.matmul, name, value),
    )


def _short(dtype: Any) -> str:
    return str(dtype).rpartition(".")[2]


MODES: dict[str, tuple[Get, Hold]] = {
    "grad_mode": _setting(
        lambda torch: torch.is_grad_enabled(),
        lambda torch, value: torch._C._set_grad_enabled(value),  # noqa: SLF001
    ),
    "autocast": _setting(_autocast, _set_autocast),
    "deterministic_algorithms": _setting(_deterministic, _set_deterministic),
    "allow_tf32": _setting(
        lambda torch: torch.get_float32_matmul_precision(),
        lambda torch, value: torch.set_float32_matmul_precision(value),
    ),
    "allow_fp16_reduce": _reduced("allow_fp16_reduced_precision_reduction"),
    "allow_bf16_reduce": _reduced("allow_bf16_reduced_precision_reduction"),
    "num_threads": _setting(
        lambda torch: torch.get_num_threads(),
        lambda torch, value: torch.set_num_threads(value),
    ),
    "default_dtype": _setting(
        lambda torch: _short(torch.get_default_dtype()),
        lambda torch, value: torch.set_default_dtype(getattr(torch, value)),
    ),
    "default_device": (_devices, _on_devices),
}
