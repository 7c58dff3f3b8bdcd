"""An MLP's training step that logs the loss with `.item()` inside the compiled function."""

from __future__ import annotations

import torch

torch.manual_seed(0)
model = torch.nn.Sequential(
    torch.nn.Linear(256, 1024), torch.nn.GELU(), torch.nn.Linear(1024, 10)
).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
history: list[float] = []


@torch.compile
def loss_of(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    loss = torch.nn.functional.cross_entropy(model(x), y)
    history.append(loss.item())
    return loss


for number in range(30):
    rows = 128 if number != 20 else 77
    x = torch.randn(rows, 256, device="cuda")
    y = torch.randint(0, 10, (rows,), device="cuda")
    loss_of(x, y).backward()
    optimizer.step()
    optimizer.zero_grad()
torch.cuda.synchronize()
print(len(history), "losses")
