import torch

seen = []


@torch.compiler.allow_in_graph
def g(x):
    seen.append(1)
    return x * 2


def f(x):
    return g(x) + 1  # CS405


def make():
    return f, [(torch.ones(3),)]
