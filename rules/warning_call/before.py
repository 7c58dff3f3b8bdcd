import warnings

import torch


def f(x):
    y = x + 1
    warnings.warn("deprecated")  # CS112
    return y * 2


def make():
    return f, [(torch.ones(3),)]
