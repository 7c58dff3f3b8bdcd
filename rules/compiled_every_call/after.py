import torch


def f(x):
    return x * 2


compiled_f = torch.compile(f, backend="eager")


def step(x):
    return compiled_f(x)


def run():
    for _ in range(4):
        step(torch.ones(3))


run()


def make():
    return f, [(torch.ones(3),)]
