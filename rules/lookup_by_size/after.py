import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("scales", torch.arange(16.0))

    def forward(self, x):
        return x * self.scales[x.shape[0]]


def make():
    return Net(), [(torch.ones(4),)] * 3
