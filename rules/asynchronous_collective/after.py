import torch
import torch.distributed as dist


def f(x):
    dist.all_reduce(x)
    return x * 2


def make():
    return f, [(torch.ones(3),)]
