import torch


def f(x):
    (i,) = torch.where(x > 0)  # CS142
    return x[i] * 2


def make():
    return f, [(torch.ones(3),)]
