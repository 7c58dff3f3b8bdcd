import torch

TABLE = torch.arange(3)


def f(x):
    return x + TABLE


def make():
    return f, [(torch.ones(3),)]
