import threading

import torch

lock = threading.Lock()


def f(x):
    with lock:  # CS132
        y = x + 1
    return y * 2


def make():
    return f, [(torch.ones(3),)]
