import torch


def f(x):
    return x.sum(0)


def make():
    return f, [(torch.ones(n, 2),) for n in range(2, 5)]
