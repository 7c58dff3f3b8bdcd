import torch


def f(x):
    scale = x.mean().detach()
    return x * scale


def make():
    return f, [(torch.ones(3),)]
