import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(3, momentum=0.1)

    def forward(self, x):
        return self.norm(x) * 2


def make():
    return Net(), [(torch.ones(2, 3),)]
