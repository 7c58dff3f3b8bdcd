import torch


def f(x):
    torch._assert(x.all(), "zero")  # CS105
    return x * 2


def make():
    return f, [(torch.ones(3),)]
