import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        return x * 2


model = Net()
model.compile(backend="eager")
print(isinstance(model, Net))


def make():
    return model, [(torch.ones(3),)]
