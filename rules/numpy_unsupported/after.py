import torch


def f(x):
    return x + x


def make():
    return f, [(torch.ones(3),)]
