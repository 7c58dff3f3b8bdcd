import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        layer = nn.Linear(3, 3)  # CS189
        return layer(x) * 2


def make():
    return Net(), [(torch.ones(3),)]
