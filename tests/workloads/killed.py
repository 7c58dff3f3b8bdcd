"""Compiles, calls, says so, and dies in the way that its argument names."""

from __future__ import annotations

import os
import signal
import sys
import time

import torch


@torch.compile(backend="eager")
def step(x):
    return x * 2


def main(way):
    for rows in (4, 4, 4):
        step(torch.ones(rows))
    print("ready", flush=True)
    if way == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    elif way == "leave":
        os._exit(3)
    elif way == "raise":
        raise RuntimeError("the third batch is bad")
    elif way == "many":
        x = torch.ones(4)
        for _ in range(5000):
            step(x)
    elif way == "wait":
        time.sleep(60)


if __name__ == "__main__":
    main(sys.argv[1])
