import torch
from tqdm import tqdm


def f(x):
    for step in range(3) if torch.compiler.is_compiling() else tqdm(range(3)):
        x = x + step
    return x


def make():
    return f, [(torch.ones(3),)]
