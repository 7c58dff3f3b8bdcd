"""Runs the measuring part's own rooms in one process of torch, and prints what they gave as JSON.

Started by test_agent.py: a process for each question would be slow.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent.parent / "compilescope" / "bench" / "agent"))

import torch  # noqa: E402
from _compilescope_bench import captured, made, tensors  # noqa: E402
from _compilescope_bench.compiles import Compiles  # noqa: E402
from _compilescope_bench.first_call import first_call  # noqa: E402
from _compilescope_bench.memory import peak  # noqa: E402
from _compilescope_bench.numerics import Check  # noqa: E402
from _compilescope_bench.record import Problem  # noqa: E402
from _compilescope_bench.state import Given  # noqa: E402
from _compilescope_bench.steps import Variant, compiled  # noqa: E402
from _compilescope_bench.tuned import Remedies  # noqa: E402
from torch._dynamo.eval_frame import OptimizeContext  # noqa: E402

FOLDER, OUT = map(Path, sys.argv[1:])
COMPILE, CALL = torch.compile, OptimizeContext.__call__
PLAIN = {"mode": "", "dynamic": "", "pad": 0, "compile_optimizer": False, "shape_padding": True}


def spec(name, **more):
    call = name if ":" in name else f"{HERE / 'programs.py'}:{name}"
    return {"call": call, "shapes": {}, "train": False,
            "optimizer": "", "backend": "eager", **more}  # fmt: skip


def problem(name, **more):
    try:
        made.subject(spec(name, **more))
    except Problem as error:
        return error.fields
    return None


def rows(name, backend="eager", train=False, setting=PLAIN):
    subject = made.subject(spec(name, backend=backend, train=train))
    eager = Variant("eager", subject.target, subject)
    given = Given(subject)
    notes = first_call(eager, subject)
    check = Check(subject, given)
    given.put_back()
    variant, marks = compiled(subject, setting)
    check.take(variant)
    variant.like(eager)
    with subject.surrounded():
        variant.step(variant.input(variant.items[0][0]))  # as in the rounds
    check.eager(eager)
    return {"rows": check.rows(variant), "why": check.why, "reference": check.reference,
            "marks": marks, "notes": notes,
            "peak": peak(eager, subject.device, subject.surrounded)}  # fmt: skip


def tuned(name, content):
    """What the remedies in `content` make of a training step's compiled calls."""
    torch._dynamo.reset()
    subject = made.subject(spec(name))
    agent = HERE.parent.parent / "compilescope" / "probe" / "agent"
    try:
        remedies = Remedies(content, str(agent), str(FOLDER))
        variant, _ = compiled(subject, PLAIN)
        remedies.prepare(variant, subject)
    except Problem as error:
        return error.fields
    finally:
        torch.compile, OptimizeContext.__call__ = COMPILE, CALL
    before = torch._dynamo.utils.counters["stats"]["unique_graphs"]
    with subject.surrounded():
        sizes = [list(subject.call(variant.call, item).shape) for item in variant.items[0]]
    graphs = torch._dynamo.utils.counters["stats"]["unique_graphs"] - before
    told = remedies.told
    return {"graphs": graphs, "sizes": sizes, "places": told.places, "cautions": told.cautions}


def many_graphs():
    """Compiles that are counted where more came at once than torch keeps by itself."""
    compiles = Compiles()
    compiles.fresh()
    for number in range(70):
        space = {}
        exec(f"def f(x): return x + {number}", space)
        torch.compile(space["f"], backend="eager")(torch.ones(1))
    return len(compiles.fresh())


def argument(do, callable_name="Sequential", **more):
    return {"callable": callable_name, "path": "input", "dimension": 0, "do": do, **more}


def padded():
    args, kwargs = tensors.padded(
        torch.nn.Identity(), (torch.ones(3, 5),), {"labels": torch.ones(2, 5, dtype=torch.long)},
        [("input", 1), ("labels", 1)], 8,
    )  # fmt: skip
    return [args[0].tolist(), kwargs["labels"].tolist()]


def program(text, calls=10, only=""):
    path = FOLDER / "program.py"
    path.write_text("import torch\n" + text)
    given = {"script": [str(path)], "module": False, "calls": calls, "only": only, "train": False,
             "optimizer": ""}  # fmt: skip
    try:
        subject = captured.subject(given)
    except Problem as error:
        return error.fields
    return {
        "name": subject.name,
        "what": subject.what,
        "weights": [item.weight for item in subject.inputs],
        "inputs": [subject.described(item) for item in subject.inputs],
        "options": {key: str(value) for key, value in subject.options.items()},
        "notes": subject.notes,
        "modules": len(subject.modules),
    }


LOOP = """
model = torch.nn.Linear(4, 2)
@torch.compile(backend="eager", dynamic=True)
def loss_of(x):
    return model(x).sum()
for rows in (3, 5, 3, 3, 7, 9):
    loss_of(torch.ones(rows, 4)).backward()
"""
MODULE = """
model = torch.compile(torch.nn.Linear(4, 2), backend="eager")
state = model.state_dict()
with torch.no_grad():
    model(torch.ones(1, 4))
    model(torch.ones(1, 4))
"""


GROWING = """
class Cache:
    def __init__(self):
        self.keys = None
@torch.compile(backend="eager")
def step(x, cache):
    cache.keys = x if cache.keys is None else torch.cat([cache.keys, x])
    return cache.keys.sum()
cache = Cache()
for _ in range(3):
    step(torch.ones(1, 2), cache)
"""
TWICE = """
first, second = (torch.compile(torch.nn.Linear(4, 4), backend="eager") for _ in range(2))
with torch.no_grad():
    second(first(torch.ones(2, 4)))
"""
STATE = """
class Late:
    pass
class Model(torch.nn.Module):
    def forward(self, x):
        return helper(x) if isinstance(x, torch.Tensor) else Late()
def helper(x):
    return torch.nn.functional.relu(x) + SHIFT
SHIFT = 2
compiled = torch.compile(Model(), backend="eager")
with torch.no_grad():
    compiled(torch.ones(3))
"""


def called_after_its_end():
    """What a program compiled is called when the program is over."""
    path = FOLDER / "late.py"
    path.write_text("import torch\n" + STATE)
    given = {"script": [str(path)], "module": False, "calls": 9, "only": "", "train": False,
             "optimizer": ""}  # fmt: skip
    subject = captured.subject(given)
    with subject.surrounded():
        made_ = torch.compile(subject.target, backend="eager")(*subject.inputs[0].args)
    return [made_.tolist(), sys.modules["__main__"].__file__]


def own_compile():
    """What is called in a module after `module.compile()` was captured."""
    text = "model = torch.nn.Linear(2, 2)\nmodel.compile(backend='eager')\nmodel(torch.ones(2))\n"
    path = FOLDER / "own.py"
    path.write_text("import torch\n" + text)
    given = {"script": [str(path)], "module": False, "calls": 9, "only": "", "train": False,
             "optimizer": ""}  # fmt: skip
    subject = captured.subject(given)
    return [subject.name, subject.target._compiled_call_impl is None]


def main():
    names = ["inputs_missing", "not_callable", "no_inputs", "raises", "nothing_like_it", "mak",
             "gone.py:make"]  # fmt: skip
    found = {
        "problems": {name: problem(name) for name in names},
        "shapes": problem("make", shapes={"sequence": [1, 2]}),
        "good": problem("make", shapes={"batch": [1, 2]}),
        "same": rows("make"),
        "narrow": rows("narrow", train=True),
        "wide": rows("wide"),
        "train": rows("scored", train=True),
        "untrained": rows("make", train=True),
        "dropout": rows("dropout"),
        "differs": rows("make", backend="wrong_backend_of_tests"),
        **{
            name: rows(name)
            for name in (
                "in_place",
                "leaves_other_values",
                "assigned",
                "flags",
                "caching",
                "whole_step",
                "counting_cache",
                "small",
            )
        },
        "many_graphs": many_graphs(),
        "padded": padded(),
        "tuned": tuned("several", {"arguments": [argument("mark_unbacked")]}),
        "tuned_cut": tuned("several", {"arguments": [argument("pad", multiple=8)]}),
        "tuned_config": tuned("several", {"config": {"dynamo.no_such_thing": 1}}),
        "tuned_other": tuned("several", {"arguments": [argument("mark_dynamic", "Other")]}),
        "padded_rows": rows("several", setting={**PLAIN, "dynamic": "marked", "pad": 8}),
        "loop": program(LOOP),
        "short": program(LOOP, calls=2),
        "module": program(MODULE),
        "twice": [program(TWICE, only=name) for name in ("Linear#2", "Linear#3")],
        "growing": program(GROWING)["inputs"],
        "own_compile": own_compile(),
        "disabled": program("torch.compile(torch.nn.Linear(2, 2), disable=True)(torch.ones(2))\n"),
        "nothing": program("x = 1\n"),
        "never_called": program("torch.compile(torch.nn.Linear(2, 2))\n"),
        "late": called_after_its_end(),
        "fails": program("raise RuntimeError('no data')\n"),
    }
    OUT.write_text(json.dumps(found))


if __name__ == "__main__":
    main()
