"""Every first remedy, applied to a small program on the installed torch: is the recompile gone?

A row is a program that recompiles and the edit that applies the remedy; `{snippet}` in the edit is
the code that compilescope printed for that very failure. `serving()` marks the end of a warm-up.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass

import pytest

from compilescope.diagnose.evidence import Evidence
from compilescope.diagnose.remedies import remedies
from compilescope.logs.guards import parse_reason
from compilescope.model import Frame

pytestmark = [pytest.mark.torch, pytest.mark.slow]

CHILD = r"""
import json, linecache, logging, sys, warnings
warnings.simplefilter("ignore")
import torch, torch._logging
import torch._dynamo.config as dynamo
import torch.fx.experimental._config as shapes

torch._logging.set_logs(recompiles=True)
records = []

class Keep(logging.Handler):
    def emit(self, record):
        records.append(record.getMessage())

log = logging.getLogger("torch._dynamo.guards.__recompiles")
log.handlers[:], log.propagate = [Keep()], False
logging.getLogger("torch").setLevel(logging.CRITICAL)
log.setLevel(logging.DEBUG)
results = []
for number, program in enumerate(json.load(sys.stdin)):
    torch._dynamo.reset()
    records.clear()
    name = f"<program {number}>"
    linecache.cache[name] = (len(program), None, program.splitlines(True), name)
    space = {"torch": torch, "nn": torch.nn, "F": torch.nn.functional, "serving": records.clear}
    with dynamo.patch(), shapes.patch():
        try:
            exec(compile(program, name, "exec"), space | {"__name__": "program"})
            results.append(list(records))
        except Exception as error:
            results.append([f"{type(error).__name__}: {error}"])
        torch.set_default_dtype(torch.float32)
        torch.set_default_device(None)
        torch.set_num_threads(1)
json.dump(results, sys.stdout)
"""


@dataclass(frozen=True)
class Row:
    """A program, the kind of its first recompile, and the edit that applies the remedy."""

    kind: str
    remedy: str
    program: str
    old: str
    new: str
    remainder: int = 0
    rank: int = 0  # place of the remedy in the list


HEAD = '@torch.compile(backend="eager")\n'
DYNAMIC = '@torch.compile(backend="eager", dynamic=True)\n'
SIZES = HEAD + "def f(x): return x + 1\nfor n in (4, 6, 5, 9):\n    x = torch.ones(n)\n    f(x)\n"
DECORATOR = '@torch.compile(backend="eager")'
INT = HEAD + "def f(x, n): return x * n\nfor n in (2, 3, 4, 7):\n    f(torch.ones(3), n)\n"
PAIR = "{snippet}"
WIDTHS = (
    "layers = [nn.Linear(4, width) for width in (5, 6, 7)]\nx = torch.ones(3, 4)\n"
    f"{HEAD}def apply(layer, x): return layer(x)\n"
    "def f(): return [apply(layer, x) for layer in layers]\n"
)


def method(name: str, value: str, update: str) -> str:
    return (
        "class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        f"        self.{name} = {value}\n"
        f"    def forward(self, x): return x * self.{name}\n"
        'm = M()\nc = torch.compile(m, backend="eager")\n'
        f"for i in range(5):\n    c(torch.ones(3))\n    {update}\n"
    )


def alternating(first: str, second: str) -> str:
    return (
        HEAD + "def f(x): return x * 2\n"
        f"def one():\n    {first}\ndef two():\n    {second}\n"
        "# warm up\none(); two(); one(); two()\n"
    )


WARM = ("# warm up\n", "one(); two(); serving()\n")

ROWS = [
    Row("tensor.size", "mark_dynamic", SIZES, "    f(x)", "    {snippet}\n    f(x)"),
    Row("tensor.size", "dynamic_true", SIZES, DECORATOR, DYNAMIC.strip(), rank=1),
    Row("tensor.size", "mark_unbacked", SIZES.replace("6, 5", "1, 0"),
        "    f(x)", "    {snippet}\n    f(x)"),
    Row("tensor.size", "drop_dynamic_false", SIZES.replace('r")', 'r", dynamic=False)'),
        ", dynamic=False", "", remainder=1),
    Row("module.param_shape", "force_parameter_static_shapes",
        "class L(nn.Module):\n    def __init__(self, n):\n        super().__init__()\n"
        "        self.w = nn.Parameter(torch.ones(4, n))\n"
        "    def forward(self, x): return x @ self.w\n"
        'for n in (4, 5, 6, 7): torch.compile(L(n), backend="eager")(torch.ones(3, 4))\n',
        "class L", "{snippet}\nclass L", remainder=1, rank=2),
    Row("tensor.size", "force_parameter_static_shapes",
        "class L(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        '        self.register_buffer("bank", torch.ones(4, 3))\n'
        "    def forward(self, x): return (self.bank @ x).sum()\n"
        'm = L()\nc = torch.compile(m, backend="eager")\nfor n in (4, 5, 6, 7):\n'
        "    m.bank = torch.ones(n, 3)\n    c(torch.ones(3))\n",
        "class L", "{snippet}\nclass L", remainder=1),
    Row("module.param_shape", "warm_up", WIDTHS + "# warm up\nf(); f()\n",
        "# warm up\n", "f(); serving()\n", rank=1),
    Row("module.param_shape", "compile_whole", WIDTHS + "f(); f()\n",
        f"{HEAD}def apply(layer, x): return layer(x)\ndef f",
        f"def apply(layer, x): return layer(x)\n{HEAD}def f"),
    Row("tensor.rank", "same_rank",
        HEAD + "def f(x): return x.sum(-1)\nfor x in (torch.ones(1, 3), torch.ones(3)):\n    "
               "f(x)\n",
        "    f(x)", "    if x.dim() == 1:\n        {snippet}\n    f(x)"),
    Row("tensor.stride", "contiguous",
        HEAD + "def f(x): return x + 1\nfor x in (torch.ones(6, 6), torch.ones(6, 6).t()):\n    "
               "f(x)\n",
        "    f(x)", "    {snippet}\n    f(x)"),
    Row("tensor.stride", "clone",
        DYNAMIC + "def f(x): return x.sum()\n"
        "for x in (torch.empty(2, 0).as_strided((2, 0), (0, 1)), torch.empty(2, 0)):\n    f(x)\n",
        "    f(x)", "    {snippet}\n    f(x)"),
    Row("tensor.dtype", "cast_dtype",
        HEAD + "def f(x): return x + 1\nfor x in (torch.ones(3), torch.ones(3).double()):\n    "
               "f(x)\n",
        "    f(x)", "    {snippet}\n    f(x)"),
    Row("tensor.dispatch_key", "resolve",
        HEAD + "def f(x): return x + 1\nz = torch.ones(3, dtype=torch.complex64)\n"
        "for x in (z, z.conj()):\n    f(x)\n",
        "    f(x)", "    {snippet}\n    f(x)"),
    Row("tensor.dispatch_key", "to_dense",
        HEAD + "def f(x): return x * 2\nfor x in (torch.eye(3), torch.eye(3).to_sparse()):\n    "
               "f(x)\n",
        "    f(x)", "    {snippet}\n    f(x)"),
    Row("tensor.dispatch_key", "compile_outside",
        'def f(x): return x * 2\ng = torch.compile(f, backend="eager")\ng(torch.ones(3))\n'
        "torch.vmap(g)(torch.ones(2, 3))\n",
        "torch.vmap(g)", 'torch.compile(torch.vmap(f), backend="eager")'),
    Row("tensor.dispatch_key", "no_grad",
        HEAD + "def f(x): return x * 2\nwith torch.no_grad(): f(torch.ones(3))\n"
        "with torch.inference_mode(): f(torch.ones(3))\n",
        "inference_mode", "no_grad"),
    Row("tensor.requires_grad", "warm_up",
        alternating("f(torch.ones(3))", "f(torch.ones(3, requires_grad=True))"), *WARM),
    Row("tensor.requires_grad", "detach",
        HEAD + "def f(x): return x * 2\nfor g in (False, True):\n"
        "    x = torch.ones(3, requires_grad=g)\n    f(x)\n",
        "    f(x)", "    {snippet}\n    f(x)", rank=1),
    Row("tensor.type", "always_pass",
        HEAD + "def f(x, m): return x if m is None else x * m\n"
        "for m in (torch.ones(3), None): f(torch.ones(3), m)\n", "None):", "torch.ones(3)):"),
    Row("tensor.type", "pass_as_tensor",
        HEAD + "def f(x, y): return x + y\nfor y in (torch.ones(()), 2):\n    f(torch.ones(3), "
               "y)\n",
        "    f(", "    {snippet}.float()\n    f("),
    Row("tensor.type", "plain_tensor",
        "class T(torch.Tensor): pass\n" + HEAD + "def f(x): return x + 1\n"
        "for x in (torch.ones(3), torch.ones(3).as_subclass(T)):\n    f(x)\n",
        "    f(x)", "    {snippet}\n    f(x)"),
    Row("tensor.grad", "warm_up",
        "p = nn.Parameter(torch.ones(3))\n" + HEAD
        + "def f(x): return x * 3 if p.grad is None else x * 2\n"
        "def one(): p.grad = None; f(torch.ones(3))\ndef two(): p.grad = torch.ones(3); "
        "f(torch.ones(3))\n"
        "# warm up\none(); two(); one(); two()\n", *WARM),
    Row("marking", "mark_first",
        HEAD + "def f(x): return x + 1\nx = torch.ones(4)\nf(x)\n"
        "torch._dynamo.mark_dynamic(x, 0)\nf(x)\n", "f(x)\ntorch", "torch"),
    Row("shape.duck", "use_duck_shape",
        "# top\n" + DYNAMIC + "def f(x, y): return x.sum() + y.sum()\n"
        "for n in (4, 5):\n    x, y = torch.ones(4), torch.ones(n)\n    f(x, y)\n",
        "# top", "{snippet}"),
    Row("shape.duck", "mark_dynamic",
        DYNAMIC + "def f(x, y): return x.sum() + y.sum()\n"
        "for n in (4, 5):\n    x, y = torch.ones(4), torch.ones(n)\n    f(x, y)\n",
        "    f(x", "    {snippet}\n    f(x", rank=1),
    Row("shape.duck", "mark_unbacked",
        DYNAMIC + "def f(x, y): return x.sum() + y.sum()\n"
        "for n in (4, 5):\n    x, y = torch.ones(4), torch.ones(n)\n    f(x, y)\n",
        "    f(x", "    {snippet}\n    f(x", rank=3),
    Row("shape.zero_one", "mark_unbacked",
        DYNAMIC + "def f(x): return x.sum(0)\nfor n in (8, 4, 1, 0):\n    x = torch.ones(n, 3)\n "
                  "   f(x)\n",
        "    f(x)", "    {snippet}\n    f(x)"),
    Row("shape.range", "split_functions",
        DYNAMIC + "def f(x):\n    if x.shape[0] < 100: return x + 1\n    return x - 1\n"
        "for n in (8, 200, 9, 300): f(torch.ones(n))\n",
        "def f(x):\n    if x.shape[0] < 100: return x + 1\n    return x - 1\n",
        "def small(x): return x + 1\n" + DYNAMIC + "def large(x): return x - 1\n"
        "def f(x): return small(x) if x.shape[0] < 100 else large(x)\n"),
    Row("shape.mod", "pad_always",
        DYNAMIC + "def f(x):\n    if x.shape[0] % 8: x = F.pad(x, (0, -x.shape[0] % 8))\n"
        "    return x.sum()\nfor n in (8, 16, 9, 10): f(torch.ones(n))\n",
        "if x.shape[0] % 8: x = F.pad(x, (0, -x.shape[0] % 8))", "x = {snippet}"),
    Row("shape.relational", "pad",
        DYNAMIC + "def f(x, y): return x[:y.shape[0]] + 1\n"
        "for n, k in ((8, 4), (5, 6)):\n    x, y = torch.ones(n), torch.ones(k)\n    f(x, y)\n",
        "    f(x", "    y = y[:n]\n    f(x"),
    Row("shape.storage_offset", "clone",
        DYNAMIC + "def f(x): return torch.as_strided(x, (2,), (1,), x.storage_offset())\n"
        "for x in (torch.ones(9)[2:], torch.ones(9)):\n    f(x)\n",
        "    f(x)", "    {snippet}\n    f(x)"),
    Row("const.int", "dynamic_true", INT, DECORATOR, DYNAMIC.strip()),
    Row("const.int", "pass_as_tensor", INT, "    f(", "    {snippet}\n    f(", rank=1),
    Row("const.int", "compile_body",
        HEAD + "def f(x, n):\n    for _ in range(n): x = x + 1\n    return x\n"
        "for n in (2, 3, 4): f(torch.ones(3), n)\n",
        HEAD + "def f(x, n):\n    for _ in range(n): x = x + 1\n",
        HEAD + "def step(x): return x + 1\ndef f(x, n):\n    for _ in range(n): x = step(x)\n"),
    Row("const.int_in_container", "dynamic_true",
        HEAD + "def f(x, ks): return x + ks[0]\nfor n in (2, 3, 4): f(torch.ones(3), [n])\n",
        DECORATOR, DYNAMIC.strip()),
    Row("const.float", "pass_as_tensor",
        HEAD + "def f(x, a): return x * a\nfor a in (.5, .6, .7):\n    f(torch.ones(3), a)\n",
        "    f(", "    {snippet}\n    f("),
    Row("const.float", "dynamic_true",
        HEAD + "def f(x, a): return x * a\nfor a in (.5, .6, .7):\n    f(torch.ones(3), a)\n",
        DECORATOR, DYNAMIC.strip(), rank=1),
    Row("const.float", "tensor_math",
        "import math\n" + HEAD
        + "def f(x, a): return x * math.exp(a)\nfor a in (.5, .6, .7):\n    f(torch.ones(3), a)\n",
        "math.exp(a)\nfor a in (.5, .6, .7):\n",
        "torch.exp(a)\nfor a in map(torch.tensor, (.5, .6, .7)):\n", rank=1),
    Row("const.nan", "pass_as_tensor",
        HEAD + "def f(x, a): return x * a\nfor a in (float('nan'), .6):\n    f(torch.ones(3), a)\n",
        "    f(", "    {snippet}\n    f("),
    Row("const.complex", "pass_as_tensor",
        HEAD + "def f(x, a): return x * a\nfor a in (1j, 2j, 3j):\n    f(torch.ones(3), a)\n",
        "    f(", "    {snippet}\n    f("),
    Row("const.bool", "warm_up",
        HEAD + "def f(x, b): return x + 1 if b else x\ndef one(): f(torch.ones(3), True)\n"
        "def two(): f(torch.ones(3), False)\n# warm up\none(); two(); one(); two()\n", *WARM),
    Row("const.enum", "warm_up",
        "import enum\nclass E(enum.Enum): A = 1; B = 2\n" + HEAD
        + "def f(x, e): return x + 1 if e is E.A else x\ndef one(): f(torch.ones(3), E.A)\n"
        "def two(): f(torch.ones(3), E.B)\n# warm up\none(); two(); one(); two()\n", *WARM),
    Row("const.subclass", "one_type",
        "class I(int): pass\n" + HEAD + "def f(x, n): return x * n\n"
        "for n in (I(2), I(3), I(4)):\n    f(torch.ones(3), n)\n",
        "    f(", "    {snippet}\n    f(", remainder=1),
    Row("attr.object", "dynamic_true",
        "class O: n = None\no = O(); o.n = 2\n" + HEAD
        + "def f(x, o): return x * o.n\nfor i in range(4):\n    f(torch.ones(3), o)\n    o.n += "
          "1\n",
        DECORATOR, DYNAMIC.strip()),
    Row("attr.partial", "pass_as_tensor",
        "import functools\ndef g(x, k): return x * k\n" + HEAD + "def f(x, p): return p(x)\n"
        "for n in (2, 3, 4): f(torch.ones(3), functools.partial(g, k=n))\n",
        "k=n", "k=torch.tensor(n)"),
    Row("attr.defaults", "define_once",
        HEAD + "def f(x, g, n): return g(x, n)\nfor n in (2, 3, 4):\n"
        "    def g(x, m, a=n): return x * a\n    f(torch.ones(3), g, torch.tensor(n))\n",
        "m, a=n", "a", remainder=0),
    Row("attr.hasattr", "set_in_init",
        "class O:\n    def __init__(self): pass\no = O()\n" + HEAD
        + 'def f(x, o): return x * 2 if hasattr(o, "k") else x * 3\n'
        "for k in (None, 1):\n    if k: o.k = k\n    f(torch.ones(3), o)\n",
        "(self): pass", "(self): self.k = 2"),
    Row("global", "pass_as_tensor",
        "STEP = 2\n" + HEAD + "def f(x): return x * STEP\n"
        "for i in range(4):\n    f(torch.ones(3))\n    STEP += 1\n",
        "STEP = 2\n", "STEP = 2\n{snippet}\n"),
    Row("module.int_attr", "buffer", method("step", "2", "m.step = m.step + 1"),
        "self.step = 2", "{snippet}"),
    Row("module.int_attr", "allow_unspec_int", method("step", "2", "m.step = m.step + 1"),
        "class M", "{snippet}\nclass M", remainder=1, rank=1),
    Row("module.int_attr", "compile_whole",
        "class L(nn.Module):\n    def __init__(self, i):\n        super().__init__()\n"
        "        self.layer_idx = i\n    def forward(self, x, c): return x + c[self.layer_idx]\n"
        "ls = [L(i) for i in range(4)]\nc = [torch.ones(3) for _ in ls]\n"
        'for l in ls: l.compile(backend="eager")\ndef f(x):\n    for l in ls: x = l(x, c)\n    '
        'return x\n'
        "f(torch.ones(3)); f(torch.ones(3))\n",
        'for l in ls: l.compile(backend="eager")\n', HEAD, rank=1),
    Row("module.int_attr", "warm_up",
        "class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.axis = 0\n    def forward(self, x): return x.softmax(dim=self.axis)\n"
        'm = M()\nc = torch.compile(m, backend="eager")\ndef f():\n    for axis in (0, 1, 2):\n'
        "        m.axis = axis\n        c(torch.ones(2, 3, 4))\n# warm up\nf(); f()\n",
        "# warm up\n", "f(); serving()\n"),
    Row("module.float_attr", "buffer", method("tau", "2.5", "m.tau = m.tau * 0.9"),
        "self.tau = 2.5", "{snippet}"),
    Row("module.bool_attr", "fixed_attribute", method("flag", "False", "m.flag = True"),
        "for i", "m.flag = True\nfor i"),
    Row("module.training", "warm_up",
        'm = nn.Dropout(0.5)\nc = torch.compile(m, backend="eager")\n'
        "def one(): m.train(); c(torch.ones(3))\ndef two(): m.eval(); c(torch.ones(3))\n"
        "# warm up\none(); two(); one(); two()\n", *WARM),
    Row("container.len", "stack",
        DYNAMIC + "def f(xs): return sum(x.sum() for x in xs)\n"
        "for n in (2, 3, 4):\n    xs = [torch.ones(3) for _ in range(n)]\n    f(xs)\n",
        "return sum(x.sum() for x in xs)\nfor n in (2, 3, 4):\n    xs = [torch.ones(3) for _ in "
        "range(n)]\n",
        "return xs.sum()\nfor n in (2, 3, 4):\n    xs = [torch.ones(3) for _ in range(n)]\n    "
        "{snippet}\n", rank=1),
    Row("container.len", "fixed_keys",
        HEAD + "def f(x, **kw): return x + sum(kw.values())\n"
        "for n in (1, 2): f(torch.ones(3), **{k: torch.ones(3) for k in 'ab'[:n]})\n",
        "[:n]", ""),
    Row("container.contains", "fixed_keys",
        HEAD + "def f(x, d): return x * 2 if 'm' in d else x\n"
        "for d in ({'m': 1, 'k': 1}, {'n': 1, 'k': 1}): f(torch.ones(3), d)\n", "'n'", "'m'"),
    Row("container.defaultdict", "plain_container",
        "import collections\n" + HEAD + "def f(x, d): return x + d['a']\n"
        "for t in (int, float):\n    d = collections.defaultdict(t, a=torch.ones(3))\n    "
        "f(torch.ones(3), d)\n",
        "    f(", "    {snippet}\n    f("),
    Row("type.container", "one_class",
        HEAD + "def f(xs): return xs[0] + xs[1]\nx = torch.ones(3)\n"
        "for xs in ([x, x + 1], (x, x + 1)):\n    f(xs)\n", "    f(", "    {snippet}\n    f("),
    Row("id.function_code", "define_once",
        HEAD + "def f(x, g): return g(x)\nf(torch.ones(3), lambda x: x + 1)\n"
        "f(torch.ones(3), lambda x: x + 1)\n",
        "f(torch.ones(3), lambda x: x + 1)\nf(torch.ones(3), lambda x: x + 1)",
        "def g(x): return x + 1\nf(torch.ones(3), g)\nf(torch.ones(3), g)"),
    Row("alias.duplicate", "clone",
        HEAD + "def f(x, y): return x + y\nx = torch.ones(3)\n"
        "for y in (torch.ones(3), x):\n    f(x, y)\n", "    f(", "    {snippet}\n    f("),
    Row("alias.expected", "distinct_inputs",
        HEAD + "def f(a, b): return a['x'] + len(b)\nd = {'x': torch.ones(3)}\n"
        "f(d, d)\nf(d, {'x': torch.ones(3)})\n", "f(d, d)\n", ""),
    Row("lifetime.dealloc", "define_once",
        "import gc\n" + HEAD + "def f(x, a): return x * a.k\n"
        "def make():\n    class A: k = 2\n    return A()\n"
        "for i in range(3): f(torch.ones(3), make()); gc.collect()\n",
        "def make():\n    class A: k = 2\n", "class A: k = 2\ndef make():\n"),
    Row("backend", "compile_once",
        'def f(x): return x + 1\nfor b in ("eager", "aot_eager"):\n'
        "    torch.compile(f, backend=b)(torch.ones(3))\n", '"aot_eager"', '"eager"'),
    Row("backend", "isolate_recompiles",
        'def f(x): return x + 1\nfor b in ("eager", "aot_eager"):\n'
        "    torch.compile(f, backend=b)(torch.ones(3))\n",
        "backend=b", "backend=b, isolate_recompiles=True", rank=1),
    Row("global_state.grad_mode", "warm_up",
        alternating("f(torch.ones(3))", "with torch.no_grad(): f(torch.ones(3))"), *WARM),
    Row("global_state.autocast", "autocast_inside",
        HEAD + "def f(x): return x @ x\nf(torch.ones(3, 3))\n"
        'with torch.autocast("cpu", torch.bfloat16): f(torch.ones(3, 3))\n',
        "def f(x): return x @ x\nf(torch.ones(3, 3))\n"
        'with torch.autocast("cpu", torch.bfloat16): f(',
        'def f(x):\n    with torch.autocast("cpu", torch.bfloat16): return x @ x\n'
        "f(torch.ones(3, 3))\nf("),
    Row("global_state.default_dtype", "set_once",
        HEAD + "def f(x): return x + 1\nx = torch.ones(3)\nf(x)\n"
        "torch.set_default_dtype(torch.float64)\nf(x)\n",
        "f(x)\ntorch.set_default_dtype(torch.float64)\n", "{snippet}\nf(x)\n"),
    Row("global_state.torch_function_mode", "same_mode",
        HEAD + "def f(x): return x + torch.ones(3)\nf(torch.ones(3))\n"
        'with torch.device("cpu"): f(torch.ones(3))\n', 'f(torch.ones(3))\nwith '
                                                        'torch.device("cpu"): ', ""),
    Row("optimizer", "tensor_lr",
        "p = nn.Parameter(torch.ones(3)); p.grad = torch.ones(3)\n"
        "optimizer = torch.optim.SGD([p], lr=0.1)\n# lr\n"
        "scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)\n"
        '@torch.compile(backend="eager")\ndef step(): optimizer.step()\n'
        "for i in range(4): step(); scheduler.step()\n", "# lr", "{snippet}"),
]  # fmt: skip


@pytest.fixture(scope="module")
def before():
    return _run([row.program for row in ROWS])


@pytest.fixture(scope="module")
def after(before):
    return _run([_applied(row, records) for row, records in zip(ROWS, before, strict=True)])


def _run(programs):
    pytest.importorskip("torch")
    done = subprocess.run(
        [sys.executable, "-c", CHILD],
        input=json.dumps(programs),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def _evidence(records):
    reasons = [record.split("failure(s):\n")[-1].strip() for record in records]
    failures = tuple(parse_reason(reason.splitlines()[0]) for reason in reasons)
    first = failures[0]
    options = {"dynamic": "False"} if "dynamic=False" in first.raw else {}
    values = tuple(value for value in (first.required, first.observed) if value)
    return Evidence(first, failures, values, Frame("p.py", 1, "f"), options=options, torch=(2, 13))


def _offered(row, records):
    evidence = _evidence(records)
    if "dynamic=False" in row.program:
        evidence = Evidence(
            evidence.failure,
            evidence.failures,
            evidence.values,
            evidence.function,
            options={"dynamic": "False"},
            torch=(2, 13),
        )
    return remedies(evidence)


def _applied(row, records):
    if not records:
        return ""
    found = [remedy for remedy in _offered(row, records) if remedy.id == row.remedy]
    snippet = found[0].snippet if found else ""
    lines = snippet.splitlines()
    new = row.new.replace("    {snippet}", "\n".join("    " + line for line in lines))
    program = row.program.replace(row.old, new.replace("{snippet}", snippet))
    assert program != row.program, row
    return program


@pytest.mark.parametrize(
    "number", range(len(ROWS)), ids=[f"{row.kind}-{row.remedy}" for row in ROWS]
)
def test_remedy_removes_the_recompile(number, before, after):
    row, records = ROWS[number], before[number]
    assert records, "the program does not recompile"
    assert _evidence(records).failure.kind == row.kind, records[0]
    assert [remedy.id for remedy in _offered(row, records)][row.rank] == row.remedy
    assert len(after[number]) == row.remainder, after[number]
