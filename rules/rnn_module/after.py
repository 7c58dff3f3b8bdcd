import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.mix = nn.Conv1d(3, 3, 1)

    def forward(self, x):
        y = self.mix(x.transpose(1, 2))
        return y * 2


def make():
    return Net(), [(torch.ones(2, 1, 3),)]
