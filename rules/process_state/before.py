import gc

import torch


def f(x):
    y = x + 1
    gc.collect()  # CS117
    return y * 2


def make():
    return f, [(torch.ones(3),)]
