import torch


def f(x, lengths):
    return x.repeat_interleave(lengths) * 2  # CS143


def make():
    return f, [(torch.ones(2), torch.tensor([1, 2]))]
