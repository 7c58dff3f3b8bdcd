import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        return x * 2


model = torch.compile(Net(), backend="eager")
print(isinstance(model._orig_mod, Net))


def make():
    return model, [(torch.ones(3),)]
