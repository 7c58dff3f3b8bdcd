import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        return x * 2


net = Net()
model = torch.compile(net, backend="eager")
state = net.state_dict()


def make():
    return model, [(torch.ones(3),)]
