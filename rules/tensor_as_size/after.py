import torch


def f(x, n):
    return torch.zeros(n) + x.sum()


def make():
    return f, [(torch.ones(3), 2)]
