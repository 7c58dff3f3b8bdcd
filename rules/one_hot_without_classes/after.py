import torch
import torch.nn.functional as F


def f(x):
    return F.one_hot(x, 3) * 2


def make():
    return f, [(torch.tensor([0, 2, 1]),)]
