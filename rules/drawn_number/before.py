import random

import torch


def f(x):
    start = random.randint(0, 2)
    return x[start:] * 2  # CS153


def make():
    return f, [(torch.ones(4),)]
