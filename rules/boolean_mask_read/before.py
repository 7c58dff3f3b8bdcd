import torch


def f(x):
    return x[x > 0].mean()  # CS141


def make():
    return f, [(torch.ones(3),)]
