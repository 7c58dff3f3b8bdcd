import torch


def f(x, batch):
    return x + batch


def make():
    return f, [(torch.ones(3), torch.ones(3))]
