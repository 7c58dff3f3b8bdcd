import warnings

import torch


def f(x):
    y = x + 1
    if not torch.compiler.is_compiling():
        warnings.warn("deprecated")
    return y * 2


def make():
    return f, [(torch.ones(3),)]
