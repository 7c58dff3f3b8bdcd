"""A mixture-of-experts layer that routes by boolean masks, batch after batch."""

from __future__ import annotations

import torch

torch.manual_seed(0)


class Experts(torch.nn.Module):
    """Eight experts, the best one for each token."""

    def __init__(self, width: int = 128, count: int = 8) -> None:
        super().__init__()
        self.router = torch.nn.Linear(width, count)
        self.experts = torch.nn.ModuleList(torch.nn.Linear(width, width) for _ in range(count))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        choice = self.router(x).argmax(-1)
        out = torch.zeros_like(x)
        for index, expert in enumerate(self.experts):
            chosen = choice == index
            if chosen.any():
                out[chosen] = expert(x[chosen])
        return out


model = torch.compile(Experts().cuda())
with torch.no_grad():
    for rows in (512, 512, 300, 512, 64, 512):
        y = model(torch.randn(rows, 128, device="cuda"))
torch.cuda.synchronize()
print("routed", tuple(y.shape))
