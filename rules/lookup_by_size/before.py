import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.scales = [float(i) for i in range(16)]

    def forward(self, x):
        return x * self.scales[x.shape[0]]  # CS208


def make():
    return Net(), [(torch.ones(n),) for n in range(2, 14)]
