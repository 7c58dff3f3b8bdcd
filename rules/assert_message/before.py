import torch


def f(x):
    assert x.all(), f"zero in {x}"  # CS104
    return x * 2


def make():
    return f, [(torch.ones(3),)]
