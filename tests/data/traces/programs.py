"""Small programs whose traces are kept here; each function is one."""

import os
import sys

import torch


def limit():
    """Three sizes for a limit of two: compiled, recompiled, refused."""
    torch._dynamo.config.recompile_limit = 2

    @torch.compile(backend="eager", dynamic=False)
    def scale(x):
        return x * 2

    for size in (2, 3, 4, 5):
        scale(torch.ones(size))


def breaks():
    """A break that is resumed, one that is logged twice, one that gives up the function."""

    def helper(x):
        torch._dynamo.graph_break()
        return x + 1

    @torch.compile(backend="eager")
    def outer(x):
        return helper(x) * 2

    @torch.compile(backend="eager")
    def loop(x):
        for _ in range(2):
            torch._dynamo.graph_break()
            x = x + 1
        return x

    outer(torch.ones(3))
    loop(torch.ones(3))


def training():
    """Forward, backward and a recompile, with Inductor."""
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
    step = torch.compile(model)
    for rows in (3, 5):
        step(torch.ones(rows, 4)).sum().backward()


def errors():
    """A backend that raises, fullgraph=True on a break, error_on_recompile."""

    def broken(graph, inputs):
        raise ValueError("no such device")

    @torch.compile(backend=broken)
    def first(x):
        return x + 1

    @torch.compile(backend="eager", fullgraph=True)
    def second(x):
        torch._dynamo.graph_break()
        return x + 1

    @torch.compile(backend="eager")
    def third(x, n):
        return x + n

    @torch.compile(backend="eager", dynamic=False)
    def fourth(x):
        return x - 1

    for function in (first, second):
        try:
            function(torch.ones(3))
        except Exception:
            pass
    third(torch.ones(3), 1)
    with torch._dynamo.config.patch(error_on_recompile=True):
        try:
            third(torch.ones(3), 2)
        except Exception:
            pass
    with torch._dynamo.config.patch(recompile_limit=1, fail_on_recompile_limit_hit=True):
        fourth(torch.ones(3))
        try:
            fourth(torch.ones(4))
        except Exception:
            pass


def symbols():
    """Symbolic sizes: duck sizing, a specialization, an unbacked symbol, guards."""
    torch._dynamo.config.capture_scalar_outputs = True

    @torch.compile(backend="eager", dynamic=True)
    def add(x, y, index):
        if x.shape[0] > 5:
            x = x + 1
        start = index.item()
        torch._check(start >= 0)
        return x.sum() + y.sum() + start

    @torch.compile(backend="eager", dynamic=True)
    def product(x):
        return x @ torch.ones(4, 4)

    add(torch.ones(8), torch.ones(8), torch.tensor(2))
    add(torch.ones(8), torch.ones(9), torch.tensor(2))
    product(torch.ones(3, 4))


def variants():
    """One code object, compiled for two modules: the second compile is no recompile."""

    class Layer(torch.nn.Module):
        def __init__(self, power):
            super().__init__()
            self.power = power

        def forward(self, x):
            return x**self.power

    for power in (2, 3):
        torch.compile(Layer(power), backend="eager", isolate_recompiles=True)(torch.ones(3))


def nothing():
    """A function without tensor operations."""

    @torch.compile(backend="eager")
    def answer(x):
        return 42

    answer(torch.ones(3))


def forked():
    """A child process that compiles after the fork."""

    @torch.compile(backend="eager")
    def plus(x):
        return x + 1

    plus(torch.ones(3))
    child = os.fork()
    plus(torch.ones(4))
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)


def ranks():
    """One of two ranks; the first compile comes before the process group."""
    torch.distributed.init_process_group(
        "gloo", init_method=f"file://{sys.argv[2]}", rank=int(sys.argv[3]), world_size=2
    )

    @torch.compile(backend="eager", dynamic=False)
    def shard(x):
        return x + 1

    for size in (2, 3 + int(sys.argv[3])):
        shard(torch.ones(size))
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    globals()[sys.argv[1]]()
