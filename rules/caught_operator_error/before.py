import torch


def f(x):
    try:
        y = x.view(-1)  # CS196
    except RuntimeError:
        y = x.reshape(-1)
    return y * 2


def make():
    return f, [(torch.ones(3, 4).t(),)]
