import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(3, momentum=None)

    def forward(self, x):
        return self.norm(x) * 2  # CS182


def make():
    return Net(), [(torch.ones(2, 3),)]
