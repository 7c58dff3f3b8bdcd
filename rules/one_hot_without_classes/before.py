import torch
import torch.nn.functional as F


def f(x):
    return F.one_hot(x) * 2  # CS144


def make():
    return f, [(torch.tensor([0, 2, 1]),)]
