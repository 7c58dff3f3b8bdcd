"""What a thread has set that guards look at, so that another thread can compile under the same."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import torch

_DEVICES = ("cpu", "cuda")


@dataclass(frozen=True)
class CallState:
    """Grad mode, inference mode, autocast and the thread count of one call."""

    grad: bool
    inference: bool
    autocast: tuple[tuple[str, bool, torch.dtype], ...]
    autocast_cache: bool
    threads: int

    @classmethod
    def current(cls) -> CallState:
        """That of the calling thread."""
        return cls(
            torch.is_grad_enabled(),
            torch.is_inference_mode_enabled(),
            tuple(
                (device, torch.is_autocast_enabled(device), torch.get_autocast_dtype(device))
                for device in _DEVICES
            ),
            torch.is_autocast_cache_enabled(),
            torch.get_num_threads(),
        )

    @property
    def key(self) -> Hashable:
        """Equal for equal states."""
        enabled = tuple(item for item in self.autocast if item[1])
        return (self.grad, self.inference, enabled, self.threads)

    @contextmanager
    def applied(self) -> Iterator[None]:
        """The calling thread in this state."""
        if torch.get_num_threads() != self.threads:
            torch.set_num_threads(self.threads)
        with ExitStack() as stack:
            stack.enter_context(torch.inference_mode(self.inference))
            stack.enter_context(torch.set_grad_enabled(self.grad))
            for device, enabled, dtype in self.autocast:
                if enabled:
                    stack.enter_context(
                        torch.autocast(device, dtype, cache_enabled=self.autocast_cache)
                    )
            yield
