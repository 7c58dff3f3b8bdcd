import torch


def f(x):
    y = x + 1
    torch.set_num_threads(2)  # CS199
    return y * 2


def make():
    return f, [(torch.ones(3),)]
