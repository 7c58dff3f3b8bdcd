import torch

calls = 0


def f(x):
    global calls
    calls += 1  # CS202
    return x * calls


def make():
    return f, [(torch.ones(3),)] * 12
