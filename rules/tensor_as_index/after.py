import torch


def f(x, n):
    return x * (torch.arange(3) < n) * 2


def make():
    return f, [(torch.ones(3), torch.tensor(2))]
