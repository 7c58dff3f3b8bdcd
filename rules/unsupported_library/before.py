import bisect

import torch


def f(x):
    y = x + 1
    place = bisect.bisect([1, 2, 3], 2)  # CS130
    return y * 2


def make():
    return f, [(torch.ones(3),)]
