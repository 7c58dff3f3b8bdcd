import torch


def f(x):
    y = x + 1
    where = y.data_ptr()  # CS170
    return y * 2


def make():
    return f, [(torch.ones(3),)]
