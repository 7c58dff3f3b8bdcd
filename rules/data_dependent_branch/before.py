import torch


def f(x):
    if x.sum() > 0:  # CS101
        return x + 1
    return x - 1


def make():
    return f, [(torch.ones(3),)]
