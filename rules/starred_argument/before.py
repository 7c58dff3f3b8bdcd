import torch


def f(parts):
    first, *rest = parts  # CS219
    return first + sum(rest)


def make():
    return f, [([torch.ones(3)] * n,) for n in range(2, 6)]
