import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = None

    def forward(self, x):
        if self.scale is None:  # CS223
            self.scale = torch.arange(3.0)
        return x * self.scale


def make():
    return Net(), [(torch.ones(3),)] * 4
