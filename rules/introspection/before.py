import inspect

import torch


def f(x):
    y = x + 1
    frame = inspect.currentframe()  # CS118
    return y * 2


def make():
    return f, [(torch.ones(3),)]
