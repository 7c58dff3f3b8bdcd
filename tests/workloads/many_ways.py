"""Every way to use torch.compile, with all that a program could notice about what it got back."""

# ruff: noqa: BLE001, PERF203, PLW0108, TRY301  odd on purpose: a program may do all this

from __future__ import annotations

import copy
import functools
import inspect
import io
import multiprocessing
import os
import pickle
import sys
import threading
import warnings

import torch


@torch.compile(backend="eager")
def decorated(x, batch, *rest, scale=1, **named):
    """A docstring."""
    return x * scale + batch["ids"].sum() + len(rest) + len(named)


def plain(x):
    return x.relu() + 1


def broken(x):
    y = x + 1
    print("graph break with", tuple(y.shape))
    return inner(y) * 2


def _inner(x):
    return x - 1


inner = torch.compile(_inner, backend="eager")


def failing(x):
    if x.shape[0] == 3:
        raise ValueError("three rows")
    return x


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(4))
        self.tag = "layer"

    def forward(self, x, mask=None):
        y = x * self.weight
        return y if mask is None else y * mask


class Loud(torch.Tensor):
    """Would print if anybody looked at it through torch functions."""

    seen = 0

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        cls.seen += 1
        return super().__torch_function__(func, types, args, kwargs or {})


class Noticing(torch.overrides.TorchFunctionMode):
    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.names.append(getattr(func, "__name__", str(func)))
        return func(*args, **(kwargs or {}))


class Unprintable:
    def __repr__(self):
        print("somebody called repr")
        return "Unprintable()"


def functions():
    for rows in (2, 3, 3, 1):
        print(decorated(torch.ones(rows), {"ids": torch.arange(rows)}, 1, 2, scale=3, more=None))
    print(decorated.__name__, decorated.__doc__, inspect.signature(decorated))
    print(inspect.unwrap(decorated).__name__, decorated._torchdynamo_orig_callable.__name__)
    print(isinstance(decorated, type(plain)), sorted(vars(decorated)))
    again = torch.compile(plain, backend="eager")
    print(again(torch.ones(2)).tolist(), again is plain)
    broke = torch.compile(broken, backend="eager")
    print(broke(torch.ones(2)).tolist(), broke(torch.ones(2)).tolist())
    outer = torch.compile(lambda x: inner(x) + 1, backend="eager", fullgraph=True)
    print(outer(torch.ones(2)).tolist())
    print(torch.compile(functools.partial(plain), backend="eager")(torch.ones(3)).tolist())
    print(torch.compile(torch.sin, backend="eager")(torch.zeros(2)).tolist())


def modules():
    model = Layer()
    compiled = torch.compile(model, backend="eager")
    print(compiled(torch.ones(2, 4), mask=torch.zeros(4)).sum().item(), compiled.tag)
    print(
        type(compiled).__name__, isinstance(compiled, torch.nn.Module), list(compiled.state_dict())
    )
    double = copy.deepcopy(compiled)
    print(double(torch.ones(2, 4)).sum().item())
    buffer = io.BytesIO()
    torch.save(model.state_dict(), buffer)
    layer = Layer()
    layer.compile(backend="eager")
    print(layer(torch.ones(2, 4)).sum().item(), type(layer).__name__, pickle.dumps(plain) != b"")
    stack = torch.nn.Sequential(*(Layer() for _ in range(3)))
    for index, part in enumerate(stack):
        stack[index] = torch.compile(part, backend="eager")
    print(stack(torch.ones(2, 4)).sum().item())
    loss = compiled(torch.ones(2, 4, requires_grad=True)).sum()
    loss.backward()
    print(model.weight.grad.tolist())


def errors():
    compiled = torch.compile(failing, backend="eager")
    for rows in (2, 3, 2):
        try:
            print(compiled(torch.ones(rows)).shape)
        except ValueError as error:
            print("caught", type(error).__name__, error, error.__context__ is None)
    try:
        raise KeyError("outer")
    except KeyError:
        print(compiled(torch.ones(2)).shape)
    try:
        torch.compile(lambda x: print(x), backend="eager", fullgraph=True)(torch.ones(2))
    except Exception as error:
        print("caught", type(error).__name__)


def unseen():
    loud = torch.ones(2).as_subclass(Loud)
    thing = torch.compile(lambda x, other: x, backend="eager")
    thing(torch.ones(2), Unprintable())
    looking = torch.compile(lambda x: None, backend="eager")
    looking(loud)
    before = Loud.seen
    looking(loud)
    print("looked", Loud.seen - before)
    again = torch.compile(lambda x: x + 3, backend="eager")
    try:
        with Noticing() as mode:
            again(torch.ones(5))
    except Exception as error:
        print("under a mode:", type(error).__name__)
    print(len(mode.names), mode.names[:3])
    try:
        twice = torch.compile(lambda x: x * 2, backend="eager")
        print(twice(torch.ones(3, 3).to_sparse()).shape)
    except Exception as error:
        print("sparse:", type(error).__name__)


def threads():
    compiled = torch.compile(plain, backend="eager")
    workers = [threading.Thread(target=compiled, args=(torch.ones(7),)) for _ in range(3)]
    for worker in workers:
        worker.start()
        worker.join()
    print("threads done")


def limited():
    compiled = torch.compile(lambda x: x + 1, backend="eager", dynamic=False)
    config = torch._dynamo.config
    name = "recompile_limit" if hasattr(config, "recompile_limit") else "cache_size_limit"
    with config.patch({name: 2}):
        for rows in (2, 3, 4, 2, 3, 4, 5, 5):
            compiled(torch.ones(rows))


def child(rows):
    print("child", decorated(torch.ones(rows), {"ids": torch.ones(1)}).tolist(), flush=True)


def children():
    for method in ("spawn", "fork"):
        process = multiprocessing.get_context(method).Process(target=child, args=(2,))
        process.start()
        process.join()
        print(method, process.exitcode)


def main():
    torch._logging.set_logs(recompiles=True) if "logs" in sys.argv else None
    for part in (functions, modules, errors, unseen, threads, limited):
        print(f"-- {part.__name__}")
        part()
    sys.stdout.flush()
    children()
    print([entry for entry in sys.path if "agent" in entry], "sitecustomize" in sys.modules)
    print(torch.__loader__.__class__.__name__, vars(torch.__loader__), os.path.basename(__file__))
    print(len(sys.meta_path), sys.excepthook is sys.__excepthook__)


if __name__ == "__main__":
    warnings.simplefilter("always")
    main()
