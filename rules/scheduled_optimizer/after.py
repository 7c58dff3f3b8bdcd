import torch

weight = torch.ones(3, requires_grad=True)
weight.grad = torch.ones(3)
optimizer = torch.optim.SGD([weight], lr=torch.tensor(0.1))
step = optimizer.step
compiled = torch.compile(step)
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)


def calls():
    for _ in range(4):
        yield ()
        scheduler.step()


def make():
    return step, calls()
