import torch
from tqdm import tqdm


def f(x):
    for step in tqdm(range(3)):  # CS115
        x = x + step
    return x


def make():
    return f, [(torch.ones(3),)]
