import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        return x * 2


model = torch.compile(Net(), backend="eager")
state = model._orig_mod.state_dict()


def make():
    return model, [(torch.ones(3),)]
