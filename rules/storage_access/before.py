import torch


def f(x):
    place = x.data_ptr()  # CS170
    return x * (place % 2)


def make():
    return f, [(torch.ones(3),)]
