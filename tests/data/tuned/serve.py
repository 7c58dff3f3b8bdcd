"""A batch size that changes, with outputs that repeat: tune can compare them."""

import torch

torch.manual_seed(0)


class Head(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(8, 8)
        self.count = 0

    def forward(self, x, scale):
        self.count += 1
        return (self.linear(x) * scale + self.count).sum(dim=0)


model = torch.compile(Head(), backend="eager")
with torch.no_grad():
    for step, rows in enumerate((16, 16, 12, 20, 16, 1, 9, 16, 24, 5, 7, 11)):
        model(torch.ones(rows, 8), 1.0 + step / 2)
