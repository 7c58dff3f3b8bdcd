import torch


def f(x):
    assert x.all(), "zero"
    return x * 2


def make():
    return f, [(torch.ones(3),)]
