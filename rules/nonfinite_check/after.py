import torch

weight = torch.ones(3, requires_grad=True)
weight.grad = torch.ones(3)


def f(x):
    norm = torch.nn.utils.clip_grad_norm_([weight], 1.0)
    return x * norm


def make():
    return f, [(torch.ones(3),)]
