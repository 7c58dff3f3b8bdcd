import torch


def f(x):
    return x * 2


def step(x):
    return torch.compile(f, backend="eager")(x)  # CS901


def run():
    for _ in range(4):
        step(torch.ones(3))


run()


def make():
    return f, [(torch.ones(3),)]
