import torch


def f(x):
    x.add_(1)  # CS304
    return x * 2


def make():
    return f, [(torch.ones(3),)]
