import torch


def f(parts):
    return parts.sum(0)


def make():
    return f, [(torch.ones(4, 3),)] * 3
