import torch


def f(x, y):
    same = (x == y).all()
    return torch.where(same, x * 2, x)


def make():
    return f, [(torch.ones(3), torch.ones(3))]
