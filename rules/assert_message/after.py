import torch


def f(x):
    assert x.all(), "zero in x"
    return x * 2


def make():
    return f, [(torch.ones(3),)]
