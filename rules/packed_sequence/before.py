import torch
from torch.nn.utils.rnn import pack_padded_sequence


def f(x):
    packed = pack_padded_sequence(x, torch.tensor([2, 1]), batch_first=True)  # CS181
    return packed.data * 2


def make():
    return f, [(torch.ones(2, 2, 3),)]
