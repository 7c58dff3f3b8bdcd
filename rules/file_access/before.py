import os

import torch


def f(x):
    y = x + 1
    found = os.path.exists("weights.pt")  # CS113
    return y * 2


def make():
    return f, [(torch.ones(3),)]
