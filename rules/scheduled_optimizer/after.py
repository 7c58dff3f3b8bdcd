import torch

weight = torch.ones(3, requires_grad=True)
optimizer = torch.optim.SGD([weight], lr=torch.tensor(0.1))
step = torch.compile(optimizer.step, backend="eager")
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)


def make():
    return step, [()] * 3
