import torch


def f(x, y):
    low, high = torch.stack([x.sum(), y.sum()]).sort().values.unbind()
    return low - high


def make():
    return f, [(torch.ones(3), torch.zeros(3))]
