import torch

buffer = torch.empty(2, 3)


def f(x):
    torch.add(x, 1, out=buffer)
    return buffer * 2


def make():
    return f, [(torch.ones(2, 3),)]
