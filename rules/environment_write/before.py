import os

import torch


def f(x):
    y = x + 1
    os.environ["STEP"] = "1"  # CS135
    return y * 2


def make():
    return f, [(torch.ones(3),)]
