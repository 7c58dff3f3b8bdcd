"""A step number and a learning rate that reach the compiled function as Python numbers."""

import torch


class Meter:
    def __init__(self):
        self.count = 0


meter = Meter()


@torch.compile(backend="eager", dynamic=False)
def step(x, meter, rate):
    meter.count += 1
    return x * rate + meter.count


for number in range(5):
    step(torch.ones(4), meter, 0.1 / (number + 1))
