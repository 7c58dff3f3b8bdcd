import os

import torch


def f(x):
    return x * 2 if os.environ.get("FLAG") else x


def make():
    return f, [(torch.ones(3),)]
