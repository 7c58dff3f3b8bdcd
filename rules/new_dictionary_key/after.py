import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(3))

    def forward(self, x):
        self.seen.copy_(x)
        return x * 2


def make():
    return Net(), [(torch.ones(3),)] * 12
