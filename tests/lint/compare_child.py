"""Whether fixed programs compute what they did, in one graph: a script for the tests.

    python compare_child.py BEFORE AFTER ...

Each program has `make()`, which gives a callable and its calls. One line of JSON a pair goes to
stdout: "" where all results and gradients are equal and nothing breaks, else what is wrong.
"""

from __future__ import annotations

import json
import runpy
import sys

import torch


def results(path):
    """What each call gives, and the gradients of its floating-point arguments."""
    torch.manual_seed(0)
    function, calls = runpy.run_path(path)["make"]()
    found = []
    for arguments in calls:
        given = [
            a.clone().requires_grad_() if torch.is_tensor(a) and a.is_floating_point() else a
            for a in arguments
        ]
        try:
            out = function(*given)
        except Exception as error:  # noqa: BLE001  that it raises is a result
            found.append(f"raises {error}")
            continue
        leaves = [a for a in given if torch.is_tensor(a) and a.requires_grad]
        found.append(out)
        if torch.is_tensor(out) and out.requires_grad and leaves:
            found += torch.autograd.grad(out.sum(), leaves, allow_unused=True)
    return found


def difference(before, after):
    """What differs first, or nothing."""
    for one, other in zip(before, after, strict=True):
        if one is None or other is None:  # a side that is not chosen may add a gradient of zeros
            given = other if one is None else one
            same = given is None or not given.any()
        elif torch.is_tensor(one) and torch.is_tensor(other):
            same = one.shape == other.shape and torch.allclose(
                one.double(), other.double(), atol=1e-6, equal_nan=True
            )
        elif torch.is_tensor(one) or torch.is_tensor(other):
            same = float(one) == float(other)
        else:
            same = one == other
        if not same:
            return f"{one} became {other}"
    return ""


def broken(path):
    """Why a program is not one graph for each of its calls, or nothing."""
    torch._dynamo.reset()
    function, calls = runpy.run_path(path)["make"]()
    compiled = torch.compile(function, backend="aot_eager", fullgraph=True)
    try:
        for arguments in calls:
            compiled(*arguments)
    except Exception as error:  # noqa: BLE001  that it raises is what is asked
        return f"{type(error).__name__}: {error}"[:300]
    return ""


if __name__ == "__main__":
    pairs = zip(sys.argv[1::2], sys.argv[2::2], strict=True)
    for before, after in pairs:
        print(json.dumps(difference(results(before), results(after)) or broken(after)))
