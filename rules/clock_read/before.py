import time

import torch


def f(x):
    y = x + 1
    start = time.time()  # CS116
    return y * 2


def make():
    return f, [(torch.ones(3),)]
