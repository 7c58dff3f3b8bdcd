import torch


def f(x):
    return torch.where(x > 0, x, 0) * 2


def make():
    return f, [(torch.ones(3),)]
