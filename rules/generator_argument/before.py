import torch

generator = torch.Generator()


def f(x):
    y = x + 1
    y = y + torch.randn(3, generator=generator)  # CS155
    return y * 2


def make():
    return f, [(torch.ones(3),)]
