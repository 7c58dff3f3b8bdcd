import torch


def f(x):
    start = torch.randint(0, 3, (1,))
    return x.index_select(0, start + torch.arange(2)) * 2


def make():
    return f, [(torch.ones(4),)]
