"""A print, a branch on a tensor's value, and an item: one graph becomes several."""

import torch


def clip(x, limit):
    if x.max() > limit:
        x = x.clamp(max=limit)
    return x


@torch.compile(backend="eager")
def step(x):
    y = x * 2
    print("step", y.shape)
    y = clip(y, 3.0)
    return y / y.sum().item()


for rows in (4, 4, 6):
    step(torch.ones(rows))
