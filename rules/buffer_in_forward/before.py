import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        self.register_buffer("mask", torch.ones(3))  # CS217
        return x * self.mask


def make():
    return Net(), [(torch.ones(3),)] * 12
