import torch
import torch.distributed as dist

dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)


def f(x):
    work = dist.all_reduce(x, async_op=True)  # CS192
    work.wait()
    return x * 2


def make():
    return f, [(torch.ones(3),)]
