import torch


def f(x):
    scale = x.max().item()  # CS120
    return x / scale


def make():
    return f, [(torch.ones(3),)]
