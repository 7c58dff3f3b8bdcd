import torch


def f(x):
    y = x.cpu()  # CS301
    return y * 2


def make():
    return f, [(torch.ones(3),)]
