import torch


def f(x):
    whole, rest = divmod(x, 2)  # CS125
    return whole + rest


def make():
    return f, [(torch.ones(3),)]
