import torch


def f(x):
    return x * 2


def calls():
    x = torch.ones(3)
    torch._dynamo.mark_dynamic(x, 0)
    yield (x,)


def make():
    return f, calls()
