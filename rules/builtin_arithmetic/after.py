import torch


def f(x):
    whole, rest = x // 2, x % 2
    return whole + rest


def make():
    return f, [(torch.ones(3),)]
