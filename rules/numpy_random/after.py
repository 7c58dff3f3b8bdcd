import numpy as np
import torch


def f(x):
    y = x + 1
    y = y * torch.rand(())
    return y * 2


def make():
    return f, [(torch.ones(3),)]
