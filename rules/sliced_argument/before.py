import torch


def f(x):
    return x * 2


compiled = torch.compile(f, backend="eager")


def run():
    seen = torch.ones(2, 3)
    for _ in range(4):
        new = compiled(seen[:, -1:])  # CS220
        seen = torch.cat([seen, new], dim=1)
    return seen


def calls():
    seen = torch.ones(2, 3)
    for _ in range(4):
        yield (seen[:, -1:],)
        seen = torch.cat([seen, seen[:, -1:]], dim=1)


def make():
    return f, calls()
