import torch


def f(x):
    return x * 2


compiled = torch.compile(f, backend="eager")


def run():
    for _ in range(4):
        compiled(torch.ones(3))


run()


def make():
    return f, [(torch.ones(3),)]
