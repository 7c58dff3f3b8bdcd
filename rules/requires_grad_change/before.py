import torch


def f(x):
    x.requires_grad_()  # CS162
    return x * 2


def make():
    return f, [(torch.ones(3),)]
