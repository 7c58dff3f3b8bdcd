import os

import torch


def f(x):
    return x * 2 if os.environ.get("FLAG", "0") == "1" else x  # CS216


def call():
    os.environ["FLAG"] = "0" if os.environ.get("FLAG", "0") == "1" else "1"
    return (torch.ones(3),)


def make():
    return f, [call] * 3
