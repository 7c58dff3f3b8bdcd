import os

import torch


def f(x):
    return x * 2 if os.environ.get("FLAG", "0") == "1" else x + 1  # CS216


def calls():
    for flag in ("0", "1", "0"):
        os.environ["FLAG"] = flag
        yield (torch.ones(3),)


def make():
    return f, calls()
