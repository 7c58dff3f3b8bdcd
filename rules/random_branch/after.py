import torch


def f(x):
    keep = torch.rand(()) < 0.5
    return torch.where(keep, x * 2, x)


def make():
    return f, [(torch.ones(3),)]
