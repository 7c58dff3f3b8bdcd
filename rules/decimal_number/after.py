import torch


def f(x):
    factor = 1.5
    return x * factor


def make():
    return f, [(torch.ones(3),)]
