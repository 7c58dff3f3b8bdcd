from decimal import Decimal

import torch


def f(x):
    factor = float(Decimal("1.5"))  # CS131
    return x * factor


def make():
    return f, [(torch.ones(3),)]
