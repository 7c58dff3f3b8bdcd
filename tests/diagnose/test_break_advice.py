"""Advice on graph breaks: the right special case, the right consequence, fixes that work."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

from compilescope.diagnose.break_advice import advise
from compilescope.diagnose.break_advice_table import TABLE
from compilescope.model import Frame, GraphBroke

REASON = (
    "Attempted to call function marked as skipped\n"
    "  Explanation: Dynamo does not know how to trace the builtin `{name}.` This function is "
    "either "
    "a Python builtin (e.g. _warnings.warn) or a third-party C/C++ Python extension.\n"
    "  Hint: consider `torch._dynamo.config.reorderable_logging_functions` for print().\n"
)


def ask(gb_id="", type_="", reason="", context="", code="", whole=False, torch=(2, 13), name="f"):
    frame = Frame("m.py", 3, name, code)
    event = GraphBroke(0, "0/0", type_, frame, gb_id=gb_id, reason=reason, context=context)
    return advise(event, torch, whole_frame=whole)


def test_consequence_of_a_split_and_of_a_whole_frame():
    split, _ = ask("GB0124", code="n = x.item()", name="forward")
    whole, _ = ask("GB7000", whole=True, name="torch_dynamo_resume_in_forward_at_12")
    assert "rest of `forward` becomes a second graph" in split
    assert "Nothing of `forward` is compiled" in whole


def test_hints_and_examples_of_pytorch_do_not_decide():
    why, fixes = ask("GB0007", reason=REASON.format(name="posix.putenv"))
    assert "operating system" in why
    assert fixes[0].id == "move_out"


@pytest.mark.parametrize(
    ("gb_id", "code", "word", "first"),
    [
        ("GB0059", "print(x.sum())", "`print`", "is_compiling_guard"),
        ("GB0170", "if x.sum() > 0:", "branch", "torch_where"),
        ("GB0170", 'assert ok, f"bad {x}"', "assert", "constant_message"),
        ("GB0170", "while err > 1e-3:", "loop", "fixed_steps"),
        ("GB0170", "if x.isnan().any(): raise ValueError", "check", "assert"),
        ("GB0124", "y = x[i.item()]", "indexed", "index_select"),
        ("GB0124", "for i in range(n.item()):", "rounds", "fixed_steps"),
        ("GB0033", "y = math.sqrt(x)", "`math`", "torch_math"),
        ("GB0033", "s = np.random.rand()", "random", "torch_random"),
        ("GB0246", "F.one_hot(x)", "num_classes", "num_classes"),
    ],
)
def test_special_cases(gb_id, code, word, first):
    why, fixes = ask(gb_id, code=code)
    assert word in why
    assert fixes[0].id == first


def test_arithmetic_on_a_random_number_is_told_from_other_builtins_on_tensors():
    kind = "unimplemented builtin op on tensor arguments"
    context = "partial tensor op: BuiltinVariable(add) [{}, ConstantVariable(int: 20)] {{}}"
    drawn, fixes = ask("GB0213", kind, context=context.format("UnspecializedPythonVariable()"))
    assert "`random`" in drawn
    assert fixes[0].id == "pass_in"
    other, _ = ask("GB0213", kind, context=context.format("TensorVariable()"))
    assert "`random`" not in other


def test_words_of_pytorch_end_before_the_next_sentence():
    frame = Frame("m.py", 3, "f", "")
    event = GraphBroke(0, "0/0", "odd", frame, explanation="Dynamo does not know this op")
    assert advise(event, (2, 13), whole_frame=False)[0].startswith(
        "Dynamo does not know this op. The graph ends here"
    )


def test_snippet_holds_the_users_line_or_is_left_out():
    _, whole_line = ask("GB0059", code='    print("loss", x.mean())')
    _, cut_line = ask("GB0059", code='    print("loss",')
    assert whole_line[0].snippet.endswith('    print("loss", x.mean())')
    assert cut_line[0].snippet == ""
    assert not any("{code}" in fix.snippet for fix in cut_line)


def test_fixes_of_the_torch_that_ran():
    ids = {
        version: ask("GB0291", code="log.info(x)", torch=version)[1]
        for version in ((2, 8), (2, 13))
    }
    assert any("ignore_logger_methods" in fix.snippet for fix in ids[2, 8])
    assert any("ignore_logging_functions" in fix.snippet for fix in ids[2, 13])
    assert not any("ignore_logging_functions" in fix.snippet for fix in ids[2, 8])


def test_old_logs_without_ids_are_known_by_their_text():
    why, _ = ask("", "", "generic_jump TensorVariable()", code="if x.sum() > 0:")
    assert "value of a tensor" in why
    why, _ = ask("", "", "Tensor.item", code="n = x.item()")
    assert "Python number" in why


def test_unknown_kind_is_left_to_pytorch():
    why, fixes = ask("GB9999", "Something new")
    assert why.startswith("PyTorch cannot capture this line: something new. ")
    assert fixes == ()


def test_fifty_kinds_are_known_and_no_sentence_is_long():
    assert len({gb_id for advice in TABLE for gb_id in advice.ids}) >= 50
    for advice in TABLE:
        re.compile(advice.type)
        re.compile(advice.about)
        for sentence in re.split(r"(?<=[.:]) ", advice.why):
            assert len(sentence.split()) <= 35
        for fix in advice.fixes:
            assert "_check_tensor_all" not in fix.text
            assert "torch._assert(" not in fix.text


BROKEN_AND_FIXED = {
    "is_compiling_guard": (
        "def f(x):\n    print(x)\n    return x + 1",
        "def f(x):\n    if not torch.compiler.is_compiling():\n        print(x)\n    return x + 1",
    ),
    "torch_where": (
        "def f(x):\n    if x.sum() > 0: return x + 1\n    return x - 1",
        "def f(x): return torch.where(x.sum() > 0, x + 1, x - 1)",
    ),
    "torch_cond": (
        "def f(x):\n    if x.sum() > 0: return x + 1\n    return x - 1",
        "def f(x): return torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: x - 1, (x,))",
    ),
    "constant_message": (
        'def f(x):\n    assert x.sum() > 0, f"bad {x}"\n    return x + 1',
        'def f(x):\n    assert x.sum() > 0, "bad"\n    return x + 1',
    ),
    "assert": (
        "def f(x):\n    if x.isnan().any(): raise ValueError\n    return x + 1",
        'def f(x):\n    assert ~x.isnan().any(), "nan"\n    return x + 1',
    ),
    "keep_tensor": (
        "def f(x): return x * x.sum().item()",
        "def f(x): return x * x.sum()",
    ),
    "index_select": (
        "def f(x):\n    i = x.argmax()\n    return x[i.item()] + 1",
        "def f(x):\n    i = x.argmax()\n    return x.index_select(0, i.reshape(1)).squeeze(0) + 1",
    ),
    "torch_math": (
        "import math\ndef f(x): return x * math.sqrt(x.sum())",
        "def f(x): return x * torch.sqrt(x.sum())",
    ),
    "mask": (
        "def f(x): return x[x > 0].sum()",
        "def f(x): return torch.where(x > 0, x, 0).sum()",
    ),
    "nonzero_static": (
        "def f(x): return x.nonzero()",
        "def f(x): return torch.nonzero_static(x, size=3)",
    ),
    "num_classes": (
        "def f(x): return F.one_hot(x.long())",
        "def f(x): return F.one_hot(x.long(), 4)",
    ),
    "fixed_bins": (
        "def f(x): return torch.bincount(x.long())",
        "def f(x): return torch.zeros(9).scatter_add(0, x.long(), torch.ones(3))",
    ),
    "output_size": (
        "def f(x): return x.repeat_interleave(x.long())",
        "def f(x): return x.repeat_interleave(x.long(), output_size=6)",
    ),
    "random_uniform": (
        "import random\ndef f(x): return x * random.random()",
        "import random\ndef f(x): return x * random.uniform(0.0, 1.0)",
    ),
    "operator": ("def f(x): return pow(x, 2)", "def f(x): return x ** 2"),
    "clone": (
        "import copy\ndef f(x): return copy.deepcopy(x) + 1",
        "def f(x): return x.clone() + 1",
    ),
    "randint_like": (
        "def f(x): return x.random_(0, 3) + 1",
        "def f(x): return torch.randint_like(x, 0, 3) + 1",
    ),
    "func_grad": (
        (
            "def f(x):\n    y = x.clone().requires_grad_()\n"
            "    return torch.autograd.grad((y * y).sum(), y)[0] + 1"
        ),
        "def f(x): return torch.func.grad(lambda y: (y * y).sum())(x) + 1",
    ),
    "logical_not": ("def f(x): return x + (not x.sum())", "def f(x): return x + ~(x.sum() > 0)"),
}

CHILD = r"""
import json, logging, random, sys, warnings
warnings.simplefilter("ignore")
import torch, torch._logging, torch.nn.functional as F
import torch._dynamo.convert_frame

breaks = []

class Keep(logging.Handler):
    def emit(self, record):
        breaks.append(record.getMessage()[:300])

torch._logging.set_logs(graph_breaks=True)
for name in list(logging.root.manager.loggerDict):
    if name.endswith(".__graph_breaks"):
        log = logging.getLogger(name)
        log.handlers[:], log.propagate = [Keep()], False
        log.setLevel(logging.DEBUG)
results = []
for program in json.load(sys.stdin):
    torch._dynamo.reset()
    breaks.clear()
    space = {"torch": torch, "F": F, "__name__": "program"}
    exec(compile(program, "<program>", "exec"), space)
    torch.compile(space["f"], backend="aot_eager")(torch.tensor([1.0, 2.0, 3.0]))
    results.append(list(breaks))
print()
print(json.dumps(results))
"""


@pytest.mark.torch
@pytest.mark.slow
def test_fixes_hold_in_one_graph():
    pytest.importorskip("torch")
    programs = [text for pair in BROKEN_AND_FIXED.values() for text in pair]
    done = subprocess.run(
        [sys.executable, "-c", CHILD],
        input=json.dumps(programs),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    results = json.loads(done.stdout.splitlines()[-1])
    for name, broken, fixed in zip(BROKEN_AND_FIXED, results[::2], results[1::2], strict=True):
        assert fixed == [], name
        assert broken, name
    offered = {fix.id for advice in TABLE for fix in advice.fixes}
    assert set(BROKEN_AND_FIXED) <= offered
