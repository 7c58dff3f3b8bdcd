import torch


def f(x):
    mask = x > 0
    return (x * mask).sum() / mask.sum()


def make():
    return f, [(torch.ones(3),)]
