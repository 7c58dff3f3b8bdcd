import torch

generator = torch.Generator()


def f(x, noise):
    y = x + 1
    y = y + noise
    return y * 2


def make():
    return f, [(torch.ones(3), torch.randn(3, generator=generator))]
