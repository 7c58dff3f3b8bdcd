import torch


def f(x):
    try:
        import package_that_is_missing  # CS133
    except ImportError:
        pass
    return x * 2


def make():
    return f, [(torch.ones(3),)]
