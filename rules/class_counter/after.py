import torch


class Stats:
    calls = torch.zeros(())


def f(x):
    Stats.calls.add_(1)
    return x * Stats.calls


def make():
    return f, [(torch.ones(3),)] * 12
