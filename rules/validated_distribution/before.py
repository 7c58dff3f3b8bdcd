import torch


def f(x):
    normal = torch.distributions.Normal(x, x.abs(), validate_args=True)  # CS197
    return normal.rsample() * 2


def make():
    return f, [(torch.ones(3),)]
