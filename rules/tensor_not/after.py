import torch


def f(x):
    return torch.where(x.any(), x, x + 1)


def make():
    return f, [(torch.ones(3),)]
