import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.keys = torch.ones(1)

    def forward(self, x):
        self.keys = torch.cat([self.keys, x])  # CS214
        return self.keys * 2


def make():
    return Net(), [(torch.ones(3),)] * 4
