import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.arange(3.0))

    def forward(self, x):
        return x * self.scale


def make():
    return Net(), [(torch.ones(3),)] * 4
