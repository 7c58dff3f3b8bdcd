import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return x * 2


def make():
    return Net(), [(torch.ones(3),)] * 12
