import torch


def f(x):
    return x * 2 if bool(x.any()) else x  # CS103


def make():
    return f, [(torch.ones(3),)]
