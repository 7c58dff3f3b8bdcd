import torch


def make_step():
    n = torch.zeros(())

    def f(x):
        n.add_(1)
        return x * n

    return f


def make():
    return make_step(), [(torch.ones(3),)] * 12
