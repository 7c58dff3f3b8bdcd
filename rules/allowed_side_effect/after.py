import torch


@torch.compiler.allow_in_graph
def g(x):
    return x * 2


def f(x):
    return g(x) + 1


def make():
    return f, [(torch.ones(3),)]
