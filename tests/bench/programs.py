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


def in_place():
    def step(total, x):
        total += x
        return total * 2

    return step, (torch.zeros(4), torch.ones(4))


class Cache:
    """What each call adds to, as a cache of keys and values is."""

    def __init__(self):
        self.layers = [{"keys": torch.ones(1, 2)}]
        self.sums = []


def caching():
    def attend(x, cache):
        layer = cache.layers[0]
        layer["keys"] = torch.cat([layer["keys"], x])
        cache.sums.append(layer["keys"].sum())
        return layer["keys"].sum(0)

    return attend, (torch.ones(1, 2), Cache())


def small():
    """Numbers of 8 bits, and a dtype that compiled code changes."""

    def made(x):
        wide = x.to(torch.complex64) if torch.compiler.is_compiling() else x
        return x.to(torch.float8_e4m3fn), wide

    return made, torch.ones(3)


def counting_cache():
    def write(x, cache):
        cache.layers[0]["keys"].add_(x)
        return cache.layers[0]["keys"] * 1

    return write, (torch.ones(1, 2), Cache())


def whole_step():
    torch.manual_seed(0)
    model = torch.nn.Linear(4, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def step(x):
        loss = model(x).pow(2).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        return loss

    return step, torch.randn(3, 4)


class Leaves(torch.nn.Module):
    """Other values in its input and buffer when it is compiled, and one more output."""

    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(3))

    def forward(self, x):
        wrong = 0.5 if torch.compiler.is_compiling() else 0.0
        x.mul_(1.5 + wrong)
        self.count += 1.0 + wrong
        return (torch.ones(2), torch.ones(2)) if wrong else (torch.ones(2),)


def leaves_other_values():
    return Leaves(), torch.ones(4)


def assigned():
    class Mean(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("mean", torch.zeros(8))

        def forward(self, x):
            self.mean = self.mean * 0.9 + x.mean(0) * 0.1
            return x - self.mean

    return Mean(), torch.randn(4, 8)


def flags():
    """Whole numbers, truth values and infinities that compiled code gets wrong in one place."""

    def made(x):
        wrong = torch.arange(len(x)) == 0 if torch.compiler.is_compiling() else torch.zeros(1) > 1
        ends = torch.where(x > 2, float("inf"), x)
        return x.long() + 10**9 + wrong, (x > 2) ^ wrong, torch.where(wrong, -ends, ends)

    return made, torch.arange(5.0).flip(0)


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


class NoFloat64(torch.nn.Linear):
    def forward(self, x):
        if x.dtype == torch.float64:
            raise RuntimeError("no kernel for float64")
        return super().forward(x)


def narrow():
    return NoFloat64(4, 2).bfloat16(), torch.ones(3, 4, dtype=torch.bfloat16)


def wide():
    return NoFloat64(4, 2), torch.ones(3, 4)


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
