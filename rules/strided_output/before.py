import torch

buffer = torch.empty(3, 2)


def f(x):
    torch.add(x, 1, out=buffer.t())  # CS174
    return buffer * 2


def make():
    return f, [(torch.ones(2, 3),)]
