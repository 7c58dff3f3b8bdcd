import math

import torch


def f(x):
    norm = torch.sqrt(x.sum().detach())
    return x / norm


def make():
    return f, [(torch.ones(3),)]
