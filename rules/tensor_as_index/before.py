import torch


def f(x, n):
    return x[:n] * 2  # CS127


def make():
    return f, [(torch.ones(3), torch.tensor(2))]
