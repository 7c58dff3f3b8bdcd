import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("steps", torch.tensor(0), persistent=False)

    def forward(self, x):
        self.steps.add_(1)
        return x * self.steps


def make():
    return Net(), [(torch.ones(3),)] * 12
