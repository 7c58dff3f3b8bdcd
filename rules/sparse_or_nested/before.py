import torch


def f(x):
    y = x + 1
    z = y.to_sparse()  # CS171
    return y * 2


def make():
    return f, [(torch.ones(3),)]
