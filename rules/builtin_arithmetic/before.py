import torch


def f(x):
    return pow(x, 2) + 1  # CS125


def make():
    return f, [(torch.ones(3),)]
