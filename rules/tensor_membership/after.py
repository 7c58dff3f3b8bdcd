import torch


def f(x):
    return torch.where((x == 3).any(), x * 2, x)


def make():
    return f, [(torch.ones(3),)]
