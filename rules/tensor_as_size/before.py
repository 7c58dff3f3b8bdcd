import torch


def f(x, n):
    return torch.zeros(n) + x.sum()  # CS128


def make():
    return f, [(torch.ones(3), torch.tensor(2))]
