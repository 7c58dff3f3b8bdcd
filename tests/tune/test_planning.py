"""Which remedies are tried for a cause, and what is said where this torch lacks one."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from compilescope.diagnose.evidence import Evidence
from compilescope.diagnose.explain_words import Words
from compilescope.logs.guards import parse_reason
from compilescope.model import Frame
from compilescope.tune.plan_shapes import buckets_for, shapes
from compilescope.tune.plan_sources import named
from compilescope.tune.plan_state import _is_found, leave_out, state
from compilescope.tune.remedy import Candidate, Entry, argument, config, overlay
from compilescope.tune.strategies import _strategies
from compilescope.tune.versions import lacking


@pytest.mark.parametrize(
    ("sizes", "buckets"),
    [
        ([5, 7], [8]),
        ([0, 1, 2], [2]),
        ([3, 16, 17], [4, 16, 32]),
        ([1, 3, 5, 9, 17, 33], [8, 16, 32, 64]),
    ],
)
def test_buckets_cover_the_largest_and_are_few(sizes, buckets):
    assert buckets_for(sizes) == buckets


def test_a_size_is_named_alone_where_torch_can():
    assert named("x", 0, (2, 13)) == r"L\['x'\]:0"
    assert named("x", 0, (2, 12)) == r"L\['x'\]"
    assert named("batch.mask", None, (2, 13)) == r"L\['batch'\].*\.mask$"
    assert named("rows[0]", 1, (2, 13)) == r"L\['rows'\]:1"


def test_what_a_torch_lacks_is_said_with_the_version_that_has_it():
    assert lacking("isolate_recompiles", (2, 9)) == "needs torch 2.13, this is 2.9"
    assert lacking("mark_unbacked_range", (2, 11)) == "needs torch 2.13, this is 2.11"
    assert lacking("unbacked_sources", (2, 7)) == "needs torch 2.8, this is 2.7"
    assert lacking("mark_dynamic", (2, 6)) == ""


def test_sources_of_several_remedies_are_joined_and_rewrites_are_no_overlay():
    one = Candidate("a", "a", (config("compiler.unbacked_sources", "x"),))
    other = Candidate("b", "b", (config("compiler.unbacked_sources", "y"), Entry("rewrite", {})))
    stance = Candidate("c", "c", (Entry("stance", {"value": {"name": "default"}}),))
    assert overlay([one, other, stance]) == {
        "config": {"compiler.unbacked_sources": "x,y"},
        "stance": {"name": "default"},
    }


def test_marks_of_one_argument_are_one_entry():
    mark = argument("f", "x", "mark_dynamic", dimension=0)
    assert overlay([Candidate("a", "a", (mark,)), Candidate("b", "b", (mark,))]) == {
        "arguments": [{"callable": "f", "path": "x", "do": "mark_dynamic", "dimension": 0}]
    }


@pytest.mark.parametrize(
    ("torch", "name"), [((2, 13), "recompile_limit"), ((2, 6), "cache_size_limit")]
)
def test_the_limit_has_the_name_that_torch_gives_it(tmp_path, torch, name):
    base = SimpleNamespace(
        diagnosis=SimpleNamespace(causes=()),
        session=SimpleNamespace(callables=(), signatures=(), events=()),
        notes=SimpleNamespace(inputs=()),
    )
    settings = [
        entry.content
        for attempt in _strategies(base, torch, tmp_path)
        for candidate in attempt.candidates
        for entry in candidate.entries
        if entry.section == "config"
    ]
    assert {f"dynamo.{name}": 1} in settings
    assert {f"dynamo.{name}": 2} in settings


@pytest.mark.parametrize(
    ("name", "found"), [("top", True), ("method", True), ("either", True), ("inner", False)]
)
def test_a_function_inside_of_another_cannot_be_left_to_eager_code(tmp_path, name, found):
    path = tmp_path / "m.py"
    path.write_text(
        "def top():\n    def inner(): ...\n    return inner\n"
        "class C:\n    def method(self): ...\n"
        "if top:\n    def either(): ...\n"
    )
    assert _is_found(str(path), name) is found


@pytest.mark.parametrize(
    ("line", "tried"),
    [
        ("for i in range(self.depth):", []),
        ("x = x if self.depth > 2 else -x", []),
        ("p.add_(v, alpha=-self.depth)", []),
        ("x = x * self.depth", ["hold self.depth in a tensor"]),
    ],
)
def test_a_number_is_held_in_a_tensor_only_where_the_line_can_take_one(line, tried):
    # torch 2.13: elsewhere the graph breaks at the tensor, which also ends the recompiles.
    failure = replace(parse_reason("0/0: self.depth == 8"), frame=Frame("/m.py", 3, "f", line))
    situation = SimpleNamespace(
        cause=SimpleNamespace(kind="closure", frame=failure.frame),
        words=Words(Evidence(failure, (failure,), (), Frame("/m.py", 2, "f"))),
        is_number=True,
        is_argument=True,
        callable=0,
        remedies={},
        candidate=lambda name, text, *entries, weight=1: text,
    )
    assert list(state(situation)) == tried


def test_parameters_are_not_marked():
    situation = SimpleNamespace(
        cause=SimpleNamespace(kind="module.param_shape"),
        remedies={},
        is_argument=True,
        sizes=(32, 48),
        padding=False,
        candidate=lambda name, text, *entries, weight=1: name,
    )
    assert list(shapes(situation)) == ["force_parameter_static_shapes"]


@pytest.mark.parametrize(("kind", "left"), [("global_state.grad_mode", []), ("global", ["step"])])
def test_only_compiled_code_is_left_to_eager_code(tmp_path, kind, left):
    # The line told for a setting is that of the call, in code that is never compiled.
    path = tmp_path / "m.py"
    path.write_text("def step(x):\n    return net(x)\n")
    inner = Frame("/x/torch/_dynamo/external_utils.py", 67, "inner")
    cause = SimpleNamespace(kind=kind, function=inner, frame=Frame(str(path), 2, "step"))
    situation = SimpleNamespace(
        cause=cause,
        targets=(),
        candidate=lambda name, text, *entries, weight=1: entries[0].content["name"],
    )
    assert list(leave_out(situation)) == left
