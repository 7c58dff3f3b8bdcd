import torch


def f(x):
    i = x.argmax()
    return x[i] * 2  # CS129


def make():
    return f, [(torch.ones(3),)]
