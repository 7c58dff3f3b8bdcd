import copy

import torch


def f(x):
    y = x + 1
    z = y.clone()
    return y * 2


def make():
    return f, [(torch.ones(3),)]
