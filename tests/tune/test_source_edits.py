"""Edits of the user's source: where they go, what they keep, and where they are refused."""

from __future__ import annotations

import pytest

from compilescope.tune.call_edits import Place, at_call
from compilescope.tune.source_edits import (
    CannotEditError,
    with_compile_keywords,
    with_disabled,
    with_held,
    with_settings,
)

SETTING = "torch._dynamo.config.capture_scalar_outputs = True"


def test_settings_go_after_the_imports_and_are_not_repeated():
    text = '"""Doc."""\nimport os\nimport torch  # kept\n\nx = 1\n'
    changed = with_settings(text, [SETTING])
    assert changed.index("# kept") < changed.index(SETTING) < changed.index("x = 1")
    assert with_settings(changed, [SETTING]) == changed
    other = "torch.compiler.config.dynamic_sources = 'x'"
    assert f"\n\n{SETTING}\n{other}\n\nx = 1\n" in with_settings(changed, [other])


def test_settings_bring_torch_where_it_was_not_imported():
    changed = with_settings("import os\n\nx = 1\n", [SETTING])
    assert "import torch\n" in changed
    compile(changed, "f", "exec")


def test_no_place_for_settings():
    with pytest.raises(CannotEditError):
        with_settings("x = 1\n", [SETTING])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("m = torch.compile(f)\n", "m = torch.compile(f, dynamic=True)\n"),
        ("m = torch.compile(f, dynamic=False)\n", "m = torch.compile(f, dynamic=True)\n"),
        ('b.compile(backend="eager")\n', 'b.compile(backend="eager", dynamic=True)\n'),
        ("@torch.compile\ndef f(x): ...\n", "@torch.compile(dynamic=True)\ndef f(x): ...\n"),
        (
            "@torch.compile(fullgraph=True)\ndef f(x): ...\n",
            "@torch.compile(fullgraph=True, dynamic=True)\ndef f(x): ...\n",
        ),
    ],
)
def test_arguments_of_compile(before, after):
    assert with_compile_keywords(before, {"dynamic": True}) == after


def test_an_argument_is_taken_away():
    assert with_compile_keywords("torch.compile(f, dynamic=False)", {"dynamic": None}) == (
        "torch.compile(f)"
    )


@pytest.mark.parametrize(
    "text", ["x = 1\n", "torch.compile(f)\ntorch.compile(g)\n", "re.compile('x')\n"]
)
def test_compile_calls_that_are_not_certain(text):
    with pytest.raises(CannotEditError):
        with_compile_keywords(text, {"dynamic": True})


MODULE = """import torch

class M(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.n = 0  # how often

    def forward(self, x):
        self.n += 1
        return x
"""


def test_a_counter_of_a_module_becomes_a_buffer():
    changed = with_held(MODULE, "self.n")
    assert 'self.register_buffer("n", torch.tensor(0), persistent=False)  # how often' in changed
    assert "self.n += 1" in changed


def test_a_number_of_a_plain_object_and_a_global_become_tensors():
    plain = MODULE.replace("(torch.nn.Module)", "").replace("        super().__init__()\n", "")
    assert "self.n = torch.tensor(0)" in with_held(plain, "self.n")
    assert "N = torch.tensor(3)" in with_held("import torch\nN = 3\ndef f():\n    N = 4\n", "N")


def test_a_number_stays_a_tensor_where_a_later_method_sets_it():
    text = """import torch
class Learner:
    def __init__(self):
        self.clip = 0.2
        self.n = 0
    def update(self, done):
        self.clip = 0.2 * (1 - done)  # less and less
        self.n = self.n + 1
class Other:
    def reset(self):
        self.clip = 1.0
"""
    changed = with_held(text, "self.clip")
    assert "        self.clip = torch.as_tensor(0.2 * (1 - done))  # less and less\n" in changed
    assert "        self.clip = 1.0\n" in changed
    assert "        self.n = self.n + 1\n" in with_held(text, "self.n")


def test_two_beginnings_are_refused():
    with pytest.raises(CannotEditError):
        with_held(MODULE + MODULE.replace("class M", "class N"), "self.n")


def test_a_function_is_disabled_below_its_other_decorators():
    changed = with_disabled("import torch\n@staticmethod\ndef log(x): ...\n", "log")
    assert changed == "import torch\n@staticmethod\n@torch.compiler.disable\ndef log(x): ...\n"


CALLER = """import torch

compiled = torch.compile(model)
for x, y in data:
    # each batch
    loss = F.mse_loss(compiled(x, y[:, 1:]), y)
"""
MARK = "torch._dynamo.mark_dynamic({}, 0)"


def test_a_mark_goes_before_the_statement_that_calls():
    changed = at_call(CALLER, Place(6, 0, "a"), before=MARK)
    assert "    # each batch\n    torch._dynamo.mark_dynamic(x, 0)\n    loss = " in changed


def test_each_call_has_a_name_of_its_own_for_what_is_marked():
    text = CALLER + "evaluated = compiled(next(data)[0], y)\n"
    once = at_call(text, Place(7, 0, "a"), before=MARK)
    both = at_call(once, Place(6, 1, "b"), before=MARK)
    again = at_call(both + "compiled(make(3), y)\n", Place(12, 0, "a"), before=MARK)
    assert "marked_a_2 = make(3)\n" in again
    assert "compiled(marked_a_2, y)" in again


def test_a_mark_reaches_into_a_starred_argument():
    text = "import torch\nc = torch.compile(f)\nc(*inputs)\n"
    changed = at_call(text, Place(3, 2, "z"), before=MARK)
    assert "torch._dynamo.mark_dynamic(inputs[2], 0)\nc(*inputs)\n" in changed


def test_an_expression_gets_a_name_to_mark_it_by():
    changed = at_call(CALLER, Place(6, 1, "b"), before=MARK)
    assert (
        "    marked_b = y[:, 1:]\n"
        "    torch._dynamo.mark_dynamic(marked_b, 0)\n"
        "    loss = F.mse_loss(compiled(x, marked_b), y)\n"
    ) in changed


@pytest.mark.parametrize(
    "statement",
    [
        "r = g(h()) + c(x[1:])",  # another call comes first
        "r = [c(x[1:]) for x in rows]",
        "r = flag and c(x)",
        "f = lambda x: c(x)",
        "if c(x): pass",
        "for y in c(x): pass",
        "a(); c(x)",
    ],
)
def test_a_mark_goes_nowhere_where_it_would_run_at_another_time(statement):
    text = f"import torch\nc = torch.compile(f)\n{statement}\n"
    with pytest.raises(CannotEditError):
        at_call(text, Place(3, 0, "x"), before=MARK)


def test_a_number_becomes_a_tensor_where_it_is_given():
    text = "import torch\nc = torch.compile(f)\nc(x, lr * 2)\n"
    changed = at_call(text, Place(3, 1, "lr"), around="torch.tensor({})")
    assert "c(x, torch.tensor(lr * 2))" in changed


def test_an_expression_can_be_changed_where_it_stands():
    changed = at_call(CALLER, Place(6, 1, "b"), around="{}.clone()")
    assert "compiled(x, y[:, 1:].clone())" in changed


def test_a_keyword_is_found_by_its_name():
    text = "import torch\nc = torch.compile(f)\nc(x, mask=m)\n"
    assert "c(x, mask=m.detach())" in at_call(text, Place(3, None, "mask"), around="{}.detach()")


def test_two_calls_on_one_line_are_refused():
    text = "import torch\nc = torch.compile(f)\nc(x); c(y)\n"
    with pytest.raises(CannotEditError):
        at_call(text, Place(3, 0, "x"), before=MARK)
