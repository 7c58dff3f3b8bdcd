"""State that outlives a call: what recompiles, and what ends as it began (measured, torch 2.13)."""

from __future__ import annotations

import re
import textwrap

import pytest

from compilescope.lint.engine import lint_source

HEAD = """
import collections
import torch
from torch import nn

"""

MODULE = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.count = 0
        self.state = None
        self.ready = False
        self.total = 0.0
        self.items = []
        self.slots = [0, None]
        self.named = {}
        self.full = {"a": 0, "b": None}
        self.each = {name: None for name in ("a", "b")}
        self.recent = collections.deque(maxlen=2)
        self.all = collections.deque()
        self.pair = ()

    def forward(self, x):
        BODY
        return x + 1


def make():
    return Net(), [(torch.randn(4),)] * 3
"""

RECOMPILES = {
    "None at first": """
        if self.state is None:  # CS223 bounded
            self.state = torch.arange(4.0)
        x = x + self.state
    """,
    "an earlier output": """
        h = self.state if self.state is not None else torch.zeros_like(x)  # CS223 bounded
        self.state = (h + x).detach()
    """,
    "a switch": """
        if not self.ready:  # CS223 bounded
            x = x * 2
            self.ready = True
    """,
    "a switch back and forth": """
        self.ready = not self.ready  # CS223 bounded
    """,
    "a number that becomes a tensor": """
        self.total = self.total + x.sum()  # CS223 bounded
    """,
    "an item that counts": """
        self.slots[0] += 1  # CS201 limit
    """,
    "a key that counts": """
        self.full["a"] = self.full["a"] + 1  # CS201 limit
    """,
    "a float": """
        self.total += 0.5  # CS201 bounded
    """,
    "the largest size": """
        self.count = max(self.count, x.shape[0])  # CS201 bounded
    """,
    "a new list that is longer": """
        self.items = self.items + [x]  # CS204 limit
        self.pair += (x,)  # CS204 limit
    """,
    "a queue": """
        self.all.append(x)  # CS204 limit
        self.recent.append(x)  # CS204 bounded
    """,
    "a list that is cut": """
        self.items.append(x)  # CS204 bounded
        if len(self.items) > 2:
            self.items.pop(0)
    """,
    "new keys": """
        self.named.update(a=x)  # CS205 bounded
    """,
    "a default": """
        x = x + self.named.setdefault("w", torch.ones(4))  # CS205 bounded
    """,
    "keys by a number": """
        for i in range(3):
            self.named[f"layer{i}"] = x + i  # CS205 bounded
    """,
}

SETTLED = {
    "only stored": """
        self.state = x
    """,
    "put back": """
        if not self.ready:
            x = x * 2
        self.ready = True
        x = x + 1
        self.ready = False
    """,
    "stored before it is read": """
        self.state = x * 2
        if self.state is not None:
            x = x + self.state
    """,
    "a list that ends as it began": """
        self.items.append(x)
        x = x + self.items.pop()
    """,
    "a new dictionary": """
        self.named = {}
        self.named["a"] = x
    """,
    "a key that is taken out": """
        self.named["a"] = x
        x = x + self.named.pop("a")
    """,
    "keys that are there": """
        self.full.update(b=x)
        self.full["b"] = x
        self.each["a"] = x
        self.slots[1] = x
    """,
    "a list of this call": """
        items = []
        counts = {"a": 0}
        for i in range(3):
            items = items + [x]
            counts["a"] += 1
        x = torch.stack(items).sum(0)
    """,
}

FREE = {
    "a global": """
        TABLE = None
        def f(x):
            global TABLE
            if TABLE is None:  # CS223 bounded
                TABLE = torch.arange(4.0)
            return x + TABLE
    """,
    "a variable of the function around": """
        def average(beta):
            mean = None
            def f(x):
                nonlocal mean
                mean = x if mean is None else beta * mean + (1 - beta) * x  # CS223 bounded
                return x - mean
            return f
        f = average(0.9)
    """,
    "an object's": """
        class Cache:
            keys = None
            def update(self, new):
                if self.keys is None:  # CS223 bounded
                    self.keys = new
                return self.keys
        cache = Cache()
        def f(x):
            return cache.update(x * 2)
    """,
    "an object of this call": """
        class Cache:
            def __init__(self):
                self.keys = None
            def update(self, new):
                if self.keys is None:
                    self.keys = new
                return self.keys
        def f(x):
            return Cache().update(x * 2)
    """,
    "an object of each call": """
        class Cache:
            def __init__(self):
                self.keys = None
                self.seen = 0
            def update(self, new):
                self.seen += 1
                if self.keys is None:
                    self.keys = new
                return self.keys
        step = torch.compile(lambda x, cache: cache.update(x * 2))
        def f(x):
            return x
        for _ in range(4):
            step(torch.randn(4), Cache())
    """,
    "set up before": """
        class Cache:
            def __init__(self):
                self.keys = None
                self.start()
            def start(self):
                self.keys = torch.zeros(4)
            def update(self, new):
                if self.keys is None:
                    self.start()
                return self.keys + new
        cache = Cache()
        def f(x):
            return cache.update(x * 2)
    """,
    "a global counter in a list": """
        CALLS = [0]
        def f(x):
            CALLS[0] += 1  # CS201 limit
            return x + 1
    """,
    "a schedule of the loop": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.tau = 1.0
            def forward(self, x):
                return x * self.tau  # CS210 bounded
        f = Net()
        step = torch.compile(f)
        for epoch in range(4):
            f.tau = max(0.1, 1.0 - 0.2 * epoch)
            step(torch.randn(4))
    """,
    "a setting of the loop": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.tau = 1.0
            def forward(self, x):
                return x * self.tau
        f = Net()
        step = torch.compile(f)
        for epoch in range(4):
            f.tau = 0.5
            step(torch.randn(4))
    """,
}
CALLS = """

def make():
    return f, [(torch.randn(4),)] * 3
"""


def check(text):
    """What is found is what the comments say."""
    found = lint_source(text, "code.py", compiled=("make()",), target_torch=(2, 13))
    wanted = re.compile(r"# (CS\d+) (\w+)$")
    marks = [(n, m) for n, line in enumerate(text.splitlines(), 1) if (m := wanted.search(line))]
    assert [(f.line, f.code, f.severity) for f in found] == [(n, *m.groups()) for n, m in marks]


@pytest.mark.parametrize("name", [*RECOMPILES, *SETTLED])
def test_state_of_a_module(name):
    body = textwrap.dedent(RECOMPILES.get(name) or SETTLED[name]).strip()
    check(HEAD + MODULE.replace("BODY", textwrap.indent(body, "        ").strip()))
    assert ("# CS" in body) == (name in RECOMPILES)


@pytest.mark.parametrize("name", FREE)
def test_state_elsewhere(name):
    check(HEAD + textwrap.dedent(FREE[name]) + CALLS)
