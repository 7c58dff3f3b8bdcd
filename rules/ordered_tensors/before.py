import torch


def f(x, y):
    a, b = sorted([x.sum(), y.sum()])  # CS108
    return a - b


def make():
    return f, [(torch.ones(3), torch.zeros(3))]
