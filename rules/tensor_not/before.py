import torch


def f(x):
    empty = not x.any()  # CS102
    return x * 2 if empty else x


def make():
    return f, [(torch.ones(3),)]
