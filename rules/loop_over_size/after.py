import torch


def f(x):
    return x.sum(0)


def make():
    return f, [(torch.ones(4, 2),)] * 3
