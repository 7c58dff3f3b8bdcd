import torch


def f(x, y):
    x.copy_(y)
    return x * 2


def make():
    return f, [(torch.ones(3), torch.zeros(3))]
