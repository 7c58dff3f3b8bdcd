import torch
import torch.distributed as dist


def f(x):
    y = x + 1
    dist.barrier()  # CS190
    return y * 2


def make():
    return f, [(torch.ones(3),)]
