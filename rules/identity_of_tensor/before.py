import torch

cache = {}


def f(x):
    cache[id(x)] = 1  # CS215
    return x * 2


def make():
    return f, [(torch.ones(3),) for _ in range(12)]
