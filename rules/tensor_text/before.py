import torch


def f(x):
    name = str(x.sum())  # CS124
    return x * len(name)


def make():
    return f, [(torch.ones(3),)]
