"""CUDA graphs and what gets in their way: moved weights, sizes, a CPU scalar, a written input."""

from __future__ import annotations

import torch

torch.manual_seed(0)
torch._inductor.config.triton.cudagraph_dynamic_shape_warn_limit = 4
layer = torch.nn.Linear(64, 64).cuda()
shift = torch.tensor(0.5)


@torch.compile(mode="reduce-overhead")
def forward(x: torch.Tensor) -> torch.Tensor:
    return torch.relu(layer(x))


@torch.compile(mode="reduce-overhead", dynamic=True)
def sized(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x * 2, 1)


@torch.compile(mode="reduce-overhead")
def shifted(x: torch.Tensor) -> torch.Tensor:
    y = torch.sin(x) + shift
    return torch.softmax(y, 1)


@torch.compile(mode="reduce-overhead")
def written(x: torch.Tensor) -> torch.Tensor:
    x.add_(1)
    return x.sum()


with torch.no_grad():
    for step in range(12):
        if step in (6, 9):
            layer.weight.data = torch.randn(64, 64, device="cuda")
        forward(torch.randn(8, 64, device="cuda"))
    for rows in (3, 4, 5, 6, 7, 8, 9):
        for _ in range(3):
            sized(torch.randn(rows, 16, device="cuda"))
    for _ in range(4):
        shifted(torch.randn(8, 16, device="cuda"))
        written(torch.randn(8, 16, device="cuda"))
torch.cuda.synchronize()
print("done")
