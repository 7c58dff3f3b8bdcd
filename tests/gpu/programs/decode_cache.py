"""Decoding a token a call with a key-value cache that grows by concatenation, in CUDA graphs."""

from __future__ import annotations

import torch

torch.manual_seed(0)
HEADS, WIDTH = 8, 64


class Attention(torch.nn.Module):
    """One attention layer that keeps its cache as attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv = torch.nn.Linear(HEADS * WIDTH, 3 * HEADS * WIDTH)
        self.keys: torch.Tensor | None = None
        self.values: torch.Tensor | None = None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        query, key, value = (
            part.unflatten(-1, (HEADS, WIDTH)).transpose(1, 2) for part in self.qkv(x).chunk(3, -1)
        )
        self.keys = key if self.keys is None else torch.cat([self.keys, key], 2)
        self.values = value if self.values is None else torch.cat([self.values, value], 2)
        out = torch.nn.functional.scaled_dot_product_attention(query, self.keys, self.values)
        return out.transpose(1, 2).flatten(2)


layer = Attention().cuda().half()
decode = torch.compile(layer, mode="reduce-overhead")
token = torch.randn(1, 1, HEADS * WIDTH, device="cuda", dtype=torch.half)
with torch.no_grad():
    for _ in range(24):
        token = decode(token).clone()
torch.cuda.synchronize()
print("decoded", tuple(token.shape))
