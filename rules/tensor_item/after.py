import torch


def f(x):
    scale = x.max().detach()
    return x / scale


def make():
    return f, [(torch.ones(3),)]
