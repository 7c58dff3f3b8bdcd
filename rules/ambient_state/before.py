import torch


def f(x):
    y = x + 1
    flag = torch.is_inference_mode_enabled()  # CS198
    return y * 2


def make():
    return f, [(torch.ones(3),)]
