import os

import torch


def f(x):
    return x * 2 if os.getenv("FLAG") else x  # CS401


def make():
    return f, [(torch.ones(3),)]
