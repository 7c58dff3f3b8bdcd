import torch


def f(x, scale):
    return x * scale  # CS211


def make():
    return f, [(torch.ones(3), i + 0.5) for i in range(12)]
