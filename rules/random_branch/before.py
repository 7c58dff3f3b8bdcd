import random

import torch


def f(x):
    if random.uniform(0.0, 1.0) < 0.5:  # CS107
        return x * 2
    return x


def make():
    return f, [(torch.ones(3),)]
