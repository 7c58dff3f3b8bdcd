import os

import torch


def f(x):
    return x * 2 if os.environ.get("FLAG") else x  # CS216


def make():
    return f, [(torch.ones(3),)]
