"""A service whose batches and sentences are of any length: recorded for the README."""

import torch


class Encoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = torch.nn.Embedding(100, 16)
        self.out = torch.nn.Linear(16, 4)

    def forward(self, ids):
        return self.out(self.embed(ids).sum(1))


model = torch.compile(Encoder().eval(), dynamic=True, backend="eager")
with torch.no_grad():
    for batch, length in ((8, 33), (5, 21), (3, 50)):
        model(torch.randint(100, (batch, length)))
