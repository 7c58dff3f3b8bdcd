import torch


def f(x):
    class Box:  # CS184
        pass

    return x * 2


def make():
    return f, [(torch.ones(3),)]
