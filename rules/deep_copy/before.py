import copy

import torch


def f(x):
    y = x + 1
    z = copy.deepcopy(y)  # CS185
    return y * 2


def make():
    return f, [(torch.ones(3),)]
