import torch


def f(x, y):
    same = torch.equal(x, y)  # CS106
    return x * 2 if same else x


def make():
    return f, [(torch.ones(3), torch.ones(3))]
