import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = []

    def forward(self, x):
        self.seen.append(x)  # CS204
        return x * len(self.seen)


def make():
    return Net(), [(torch.ones(3),)] * 12
