import torch


def f(x):
    found = bool(x.any())  # CS103
    return x * 2 if found else x


def make():
    return f, [(torch.ones(3),)]
