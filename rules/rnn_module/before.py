import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(3, 3)

    def forward(self, x):
        y, state = self.rnn(x)  # CS180
        return y * 2


def make():
    return Net(), [(torch.ones(2, 1, 3),)]
