"""Models and functions that tests of bench are given by name."""

from __future__ import annotations

import torch


def make(batch=4):
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 3))
    return model.eval(), torch.randn(batch, 8)


def several():
    model, _ = make()
    return model, [torch.randn(rows, 8) for rows in (4, 6, 9, 6)]


def scored():
    model, inputs = make()
    return model.train(), inputs, lambda out: out.pow(2).mean()


def dropout():
    return torch.nn.Dropout(0.5).train(), torch.randn(64)


def broken():
    def noisy(x):
        print("a graph break")
        return x + 1

    return noisy, torch.ones(3)


def counting():
    class Counter(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.calls = 0

        def forward(self, x):
            self.calls += 1
            return x * self.calls

    return Counter(), torch.ones(3)


def inputs_missing():
    return torch.nn.Linear(2, 2)


def not_callable():
    return 3, torch.ones(2)


def no_inputs():
    return torch.nn.Linear(2, 2), []


def raises():
    raise ValueError("no weights here")


def wrong_inputs():
    return torch.nn.Linear(2, 2), torch.ones(5)


def wrong_backend(gm, example_inputs):
    """A backend that computes something else."""

    def run(*args):
        return tuple(out + 0.01 if torch.is_tensor(out) else out for out in gm(*args))

    return run


if "wrong_backend_of_tests" not in torch._dynamo.list_backends(exclude_tags=None):
    torch._dynamo.register_backend(wrong_backend, name="wrong_backend_of_tests")
