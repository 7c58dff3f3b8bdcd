import torch


class Stats:
    calls = 0


def f(x):
    Stats.calls += 1  # CS206
    return x * Stats.calls


def make():
    return f, [(torch.ones(3),)] * 12
