import torch


def f(x):
    return torch.where(x > 0, x, 0).sum() / (x > 0).sum()


def make():
    return f, [(torch.ones(3),)]
