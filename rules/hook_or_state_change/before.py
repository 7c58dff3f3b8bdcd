import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        y = self.layer(x)
        self.layer.register_forward_hook(lambda module, args, out: None)  # CS183
        return y * 2


def make():
    return Net(), [(torch.ones(3),)]
