import torch


def f(x):
    y = x + 1
    torch.manual_seed(0)  # CS152
    return y * 2


def make():
    return f, [(torch.ones(3),)]
