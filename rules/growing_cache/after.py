import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("keys", torch.zeros(16))

    def forward(self, x):
        self.keys.index_copy_(0, torch.arange(3), x)
        return self.keys * 2


def make():
    return Net(), [(torch.ones(3),)] * 4
