import torch


def f(x):
    return x * 2


def call():
    x = torch.ones(3)
    torch._dynamo.mark_dynamic(x, 0)
    return (x,)


def make():
    return f, [call]
