import numpy as np
import torch


def f(x):
    wave = np.unwrap(x.numpy())  # CS154
    return x + torch.from_numpy(wave)


def make():
    return f, [(torch.ones(3),)]
