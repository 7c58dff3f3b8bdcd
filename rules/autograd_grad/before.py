import torch


def f(x):
    y = (x * x).sum()
    (g,) = torch.autograd.grad(y, x)  # CS161
    return g


def make():
    return f, [(torch.ones(3, requires_grad=True),)]
