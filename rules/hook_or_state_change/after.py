import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)
        self.layer.register_forward_hook(lambda module, args, out: None)

    def forward(self, x):
        return self.layer(x) * 2


def make():
    return Net(), [(torch.ones(3),)]
