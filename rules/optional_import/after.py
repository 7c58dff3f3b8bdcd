import torch

try:
    import package_that_is_missing
except ImportError:
    package_that_is_missing = None


def f(x):
    return x * 2


def make():
    return f, [(torch.ones(3),)]
