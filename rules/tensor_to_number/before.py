import torch


def f(x):
    scale = float(x.mean())  # CS121
    return x * scale


def make():
    return f, [(torch.ones(3),)]
