import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = {}

    def forward(self, x):
        self.seen[x.shape[0]] = x  # CS205
        return x * len(self.seen)


def make():
    return Net(), [(torch.ones(n),) for n in range(2, 6)]
