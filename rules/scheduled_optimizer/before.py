import torch

weight = torch.ones(3, requires_grad=True)
optimizer = torch.optim.SGD([weight], lr=0.1)
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
step = torch.compile(optimizer.step, backend="eager")  # CS222


def make():
    return step, [()] * 3
