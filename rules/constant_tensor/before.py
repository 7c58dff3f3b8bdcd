import torch


def f(x):
    return x * torch.tensor([1.0, 2.0, 3.0])  # CS302


def make():
    return f, [(torch.ones(3),)]
