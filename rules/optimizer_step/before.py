import torch

weight = torch.ones(3, requires_grad=True)
optimizer = torch.optim.SGD([weight], lr=0.1)


def f(x):
    loss = (weight * x).sum()
    optimizer.step()  # CS164
    return loss


def make():
    return f, [(torch.ones(3),)]
