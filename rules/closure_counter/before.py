import torch


def make_step():
    n = 0

    def f(x):
        nonlocal n
        n += 1  # CS203
        return x * n

    return f


def make():
    return make_step(), [(torch.ones(3),)] * 12
