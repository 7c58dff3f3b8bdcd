import torch


def f(x):
    i = x.argmax()
    return x.index_select(0, i.reshape(1)).squeeze(0) * 2


def make():
    return f, [(torch.ones(3),)]
