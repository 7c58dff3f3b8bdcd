import torch


def f(x):
    empty = torch.logical_not(x.any())
    return torch.where(empty, x * 2, x)


def make():
    return f, [(torch.ones(3),)]
