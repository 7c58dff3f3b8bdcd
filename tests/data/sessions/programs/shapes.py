"""Batches whose size and content change: the sizes recompile, and 0 and 1 do so again."""

import torch


class Head(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(8, 8)

    def forward(self, x, mask):
        scores = self.linear(x) * mask
        return scores.sum(dim=0)


model = torch.compile(Head(), backend="eager")
for rows in (16, 16, 12, 20, 16, 1, 0, 16, 24):
    model(torch.ones(rows, 8), torch.ones(rows, 1))
    model(torch.ones(rows, 8), torch.ones(8))
