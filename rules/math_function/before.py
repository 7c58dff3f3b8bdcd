import math

import torch


def f(x):
    norm = math.sqrt(x.sum())  # CS122
    return x / norm


def make():
    return f, [(torch.ones(3),)]
