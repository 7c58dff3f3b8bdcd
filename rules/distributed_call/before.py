import torch
import torch.distributed as dist

dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)


def f(x):
    y = x + 1
    dist.barrier()  # CS190
    return y * 2


def make():
    return f, [(torch.ones(3),)]
