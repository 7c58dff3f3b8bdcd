import torch


def f(x):
    torch._dynamo.mark_dynamic(x, 0)  # CS218
    return x * 2


def make():
    return f, [(torch.ones(3),)]
