import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mask", torch.ones(3))

    def forward(self, x):
        return x * self.mask


def make():
    return Net(), [(torch.ones(3),)] * 12
