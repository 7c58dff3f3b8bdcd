"""A function, a module, a partial and a lambda, compiled one by one; one input is refused."""

import functools

import torch


class Net(torch.nn.Module):
    def forward(self, x):
        return x.relu()


def half(x):
    if x.shape[0] > 4:
        raise ValueError("too many")
    return x / 2


def scaled(factor, x):
    return x * factor


compiled = [
    torch.compile(item, backend="eager")
    for item in (half, Net(), functools.partial(scaled, 2.0), lambda x: x - 1)
]
for rows in (2, 3, 8, 3):
    for call in compiled:
        try:
            call(torch.ones(rows))
        except ValueError:
            pass
