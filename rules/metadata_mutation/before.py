import torch


def f(x, y):
    x.set_(y)  # CS172
    return x * 2


def make():
    return f, [(torch.ones(3), torch.zeros(3))]
