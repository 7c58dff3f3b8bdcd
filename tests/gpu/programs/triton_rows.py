"""Triton kernels of a program's own, launched for batches of many sizes."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def scale_rows(x, out, rows, width, factor, BLOCK: tl.constexpr):  # noqa: N803
    """One program a block of the flat input; `rows` is looked at by Triton."""
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = index < rows * width
    tl.store(out + index, tl.load(x + index, mask=inside) * factor, mask=inside)


@triton.jit
def sum_rows(x, out, ROWS: tl.constexpr, WIDTH: tl.constexpr):  # noqa: N803
    """The batch size as a constant: a kernel for each."""
    column = tl.program_id(0)
    total = 0.0
    for row in range(ROWS):
        total += tl.load(x + row * WIDTH + column)
    tl.store(out + column, total)


@triton.autotune(
    [triton.Config({"BLOCK": size}, num_warps=warps) for size in (256, 1024) for warps in (2, 8)],
    key=["count"],
)
@triton.jit
def add(x, y, out, count, BLOCK: tl.constexpr):  # noqa: N803
    """Tuned anew for each `count`."""
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = index < count
    left = tl.load(x + index, mask=inside)
    tl.store(out + index, left + tl.load(y + index, mask=inside), mask=inside)


WIDTH = 64


def serve(rows: int) -> torch.Tensor:
    """One batch through the three kernels."""
    x = torch.randn(rows, WIDTH, device="cuda")
    scaled, columns = torch.empty_like(x), torch.empty(WIDTH, device="cuda")
    scale_rows[(triton.cdiv(x.numel(), 1024),)](x, scaled, rows, WIDTH, 0.5, BLOCK=1024)
    sum_rows[(WIDTH,)](scaled, columns, ROWS=rows, WIDTH=WIDTH)
    out = torch.empty_like(x)
    add[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, scaled, out, x.numel())
    return columns


@torch.compile
def compiled(x: torch.Tensor) -> torch.Tensor:
    """A kernel of the program inside of a compiled function."""
    out = torch.empty_like(x)
    scale_rows[(triton.cdiv(x.numel(), 1024),)](x, out, x.shape[0], WIDTH, 2.0, BLOCK=1024)
    return torch.softmax(out, 1)


for batch in (16, 32, 17, 33, 1, 16, 17):
    sums = serve(batch)
for batch in (16, 17, 48):
    compiled(torch.randn(batch, WIDTH, device="cuda"))
torch.cuda.synchronize()
print("served", tuple(sums.shape))
