"""A residual block written by hand out of small operations: what a compiler fuses."""

from __future__ import annotations

import torch

WIDTH = 512


class Block(torch.nn.Module):
    """Normalisation, a projection, GELU by its formula, and the residual."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = torch.nn.Parameter(torch.ones(WIDTH))
        self.project = torch.nn.Linear(WIDTH, WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        normal = x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6) * self.scale
        y = self.project(normal)
        y = 0.5 * y * (1 + torch.tanh(0.7978845608 * (y + 0.044715 * y**3)))
        return x + y


def make(rows: int = 256) -> tuple[torch.nn.Module, torch.Tensor]:
    """The block and an input of so many rows, for `compilescope bench --call`."""
    torch.manual_seed(0)
    return Block().eval(), torch.randn(rows, WIDTH)
