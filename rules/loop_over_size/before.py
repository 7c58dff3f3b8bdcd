import torch


def f(x):
    total = x[0]
    for i in range(x.shape[0]):  # CS207
        total = total + x[i]
    return total


def make():
    return f, [(torch.ones(n, 2),) for n in range(2, 14)]
