import torch
import torch._dynamo


def f(x):
    y = x + 1
    return y * 2


def make():
    return f, [(torch.ones(3),)]
