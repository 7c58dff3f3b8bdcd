import torch

weight = torch.ones(3, requires_grad=True)
weight.grad = torch.ones(3)
optimizer = torch.optim.SGD([weight], lr=0.1)
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
compiled = torch.compile(optimizer.step)  # CS222


def calls():
    for _ in range(4):
        yield ()
        scheduler.step()


def make():
    return optimizer.step, calls()
