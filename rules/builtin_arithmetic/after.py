import torch


def f(x):
    return x**2 + 1


def make():
    return f, [(torch.ones(3),)]
