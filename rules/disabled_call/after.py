import torch


def report(x):
    return x + 1


def f(x):
    y = report(x)
    return y * 2


def make():
    return f, [(torch.ones(3),)]
