import torch


def f(x):
    if x.shape[0] % 4 != 0:  # CS209
        x = torch.nn.functional.pad(x, (0, 4 - x.shape[0] % 4))
    return x * 2


def make():
    return f, [(torch.ones(n),) for n in (8, 12, 9, 10)]
