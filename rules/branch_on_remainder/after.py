import torch


def f(x):
    x = torch.nn.functional.pad(x, (0, -x.shape[0] % 4))
    return x * 2


def make():
    return f, [(torch.ones(9),)] * 3
