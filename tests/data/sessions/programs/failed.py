"""A program that fails inside the compiled function, on its first call."""

import torch


@torch.compile(backend="eager", fullgraph=True)
def step(x):
    print("inside")
    return x @ torch.ones(3, 3)


step(torch.ones(4, 4))
