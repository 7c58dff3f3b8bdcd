import torch


def f(x):
    y = x + 1
    print("y", y.sum())  # CS110
    return y * 2


def make():
    return f, [(torch.ones(3),)]
