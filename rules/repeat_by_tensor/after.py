import torch


def f(x, lengths):
    return x.repeat_interleave(lengths, output_size=3) * 2


def make():
    return f, [(torch.ones(2), torch.tensor([1, 2]))]
