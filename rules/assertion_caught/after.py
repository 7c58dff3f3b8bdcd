import torch


def f(x):
    assert x.all(), "zero"
    return x * 2


compiled = torch.compile(f, backend="eager")

try:
    compiled(torch.ones(3))
except (AssertionError, RuntimeError):
    pass


def make():
    return f, [(torch.ones(3),)]
