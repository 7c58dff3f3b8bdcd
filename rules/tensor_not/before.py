import torch


def f(x):
    if not x.any():  # CS102
        return x + 1
    return x


def make():
    return f, [(torch.ones(3),)]
