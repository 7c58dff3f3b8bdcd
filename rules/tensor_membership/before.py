import torch


def f(x):
    if 3 in x:  # CS109
        return x * 2
    return x


def make():
    return f, [(torch.ones(3),)]
