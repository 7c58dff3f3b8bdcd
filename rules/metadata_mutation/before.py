import torch


def f(x):
    y = x + 1
    y.set_(x)  # CS172
    return y * 2


def make():
    return f, [(torch.ones(3),)]
