import functools

import torch


@functools.lru_cache
def table(n):
    return torch.arange(n)


def f(x):
    return x + table(3)  # CS402


def make():
    return f, [(torch.ones(3),)]
