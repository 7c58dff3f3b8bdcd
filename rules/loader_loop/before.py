import torch

loader = torch.utils.data.DataLoader([torch.ones(3)] * 2)


def f(x):
    for batch in loader:  # CS191
        x = x + batch
    return x


def make():
    return f, [(torch.ones(3),)]
