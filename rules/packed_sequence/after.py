import torch


def f(x):
    mask = torch.arange(2) < torch.tensor([[2], [1]])
    return x * mask[..., None] * 2


def make():
    return f, [(torch.ones(2, 2, 3),)]
