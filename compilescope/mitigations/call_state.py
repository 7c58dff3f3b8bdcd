"""What a thread has set that guards look at, so that another thread can compile under the same."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

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


def process_settings() -> dict[str, Any]:
    """What a whole process has set that guards or the choice of kernels look at."""
    cuda: Any = torch.backends.cuda
    matmul = cuda.matmul
    return {
        "default_dtype": torch.get_default_dtype(),
        "matmul_precision": torch.get_float32_matmul_precision(),
        "deterministic": (
            torch.are_deterministic_algorithms_enabled(),
            torch.is_deterministic_algorithms_warn_only_enabled(),
        ),
        "fp16_reduction": matmul.allow_fp16_reduced_precision_reduction,
        "bf16_reduction": matmul.allow_bf16_reduced_precision_reduction,
        "cudnn": (torch.backends.cudnn.allow_tf32, torch.backends.cudnn.benchmark),
        "attention": (
            cuda.flash_sdp_enabled(),
            cuda.mem_efficient_sdp_enabled(),
            cuda.math_sdp_enabled(),
        ),
    }


def apply_process_settings(settings: dict[str, Any]) -> None:
    """Set what `process_settings` read in another process."""
    matmul, cuda, cudnn = torch.backends.cuda.matmul, torch.backends.cuda, torch.backends.cudnn
    torch.set_default_dtype(settings["default_dtype"])
    torch.set_float32_matmul_precision(settings["matmul_precision"])
    deterministic, warn_only = settings["deterministic"]
    torch.use_deterministic_algorithms(deterministic, warn_only=warn_only)
    matmul.allow_fp16_reduced_precision_reduction = settings["fp16_reduction"]
    matmul.allow_bf16_reduced_precision_reduction = settings["bf16_reduction"]
    cudnn.allow_tf32, cudnn.benchmark = settings["cudnn"]
    flash, efficient, math = settings["attention"]
    cuda.enable_flash_sdp(flash)
    cuda.enable_mem_efficient_sdp(efficient)
    cuda.enable_math_sdp(math)
