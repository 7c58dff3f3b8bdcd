import torch


def f(x):
    torch._check(x.shape[0] == 3, lambda: "three, please")
    return x * 2


def make():
    return f, [(torch.ones(3),)]
