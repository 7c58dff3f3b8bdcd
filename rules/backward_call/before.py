import torch


def loss_of(w, x):
    return (w * x).sum()


def f(w, x):
    loss = loss_of(w, x)
    loss.backward()  # CS160
    return loss.detach()


def make():
    return f, [(torch.ones(3, requires_grad=True), torch.ones(3))]
