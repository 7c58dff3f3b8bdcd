import torch


def f(parts):
    return parts.sum(0)


def make():
    return f, [(torch.ones(n, 3),) for n in range(2, 4)]
