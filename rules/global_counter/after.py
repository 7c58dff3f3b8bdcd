import torch

calls = torch.zeros(())


def f(x):
    calls.add_(1)
    return x * calls


def make():
    return f, [(torch.ones(3),)] * 12
