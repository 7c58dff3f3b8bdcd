import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, index):
        super().__init__()
        self.index = index

    def forward(self, x):
        return x * self.index  # CS213


blocks = [Block(i) for i in range(12)]
for block in blocks:
    block.compile()


def f(x, block):
    return block(x)


def make():
    return f, [(torch.ones(3), block) for block in blocks]
