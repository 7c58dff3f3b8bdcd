"""Remedies: the user's own names, ranked, of the right torch, unsafe ones last."""

from __future__ import annotations

import ast

import pytest
from msgspec.structs import replace

from compilescope.diagnose.break_advice import advise
from compilescope.diagnose.evidence import Evidence
from compilescope.diagnose.remedies import remedies
from compilescope.diagnose.remedies.catalogue import FACTS, offer
from compilescope.logs.guard_kinds import KINDS
from compilescope.logs.guards import parse_reason
from compilescope.model import Frame, GraphBroke, GuardFailure, Input


def find(reason, *, torch=(2, 13), function="f", **fields):
    failure = parse_reason(reason) if isinstance(reason, str) else reason
    values = fields.pop("values", tuple(v for v in (failure.required, failure.observed) if v))
    return remedies(
        Evidence(failure, (failure,), values, Frame("m.py", 3, function), torch=torch, **fields)
    )


def ids(found):
    return [remedy.id for remedy in found]


SIZE = "tensor 'local_edge_index' size mismatch at index 1. expected 8, actual 5"
DUCK = (
    "cross.size()[1] == local.size()[1]  # duck sizing added this equality because these variables "
    "had the same size 4"
)


def test_snippets_have_the_users_names():
    assert find(SIZE)[0].snippet == "torch._dynamo.mark_dynamic(local_edge_index, 1)"
    duck = find(DUCK)
    assert ids(duck)[0] == "use_duck_shape"
    marks = next(item for item in duck if item.id == "mark_dynamic")
    assert marks.snippet == (
        "torch._dynamo.mark_dynamic(cross, 1)\ntorch._dynamo.mark_dynamic(local, 1)"
    )


def test_zero_and_one_get_mark_unbacked():
    found = find(SIZE.replace("actual 5", "actual 1"))
    assert found[0].id == "mark_unbacked"
    assert found[0].snippet.endswith("mark_unbacked(local_edge_index, 1)")


def test_dynamic_true_is_not_offered_where_it_is_given():
    assert "dynamic_true" in ids(find(SIZE))
    assert "dynamic_true" not in ids(find(SIZE, options={"dynamic": "True"}))
    assert ids(find(SIZE, options={"dynamic": "False"}))[0] == "drop_dynamic_false"


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_safe_remedies_first(kind):
    found = find(GuardFailure(kind=kind, raw=""), limit_reached=True)
    assert found
    assert not found[0].unsafe
    assert [item.unsafe for item in found] == sorted(item.unsafe for item in found)
    assert found[-1].id == "recompile_limit"
    assert len(set(ids(found))) == len(found)
    assert all(item.price for item in found)


def test_only_what_this_torch_has():
    counter = (
        "self.step == 0  # self.step += 1  # m.py:5 in forward (HINT: torch.compile considers "
    )
    counter += "integer attributes of the nn.Module to be static.)"
    assert "allow_unspec_int" in ids(find(counter, torch=(2, 7)))
    assert "allow_unspec_int" not in ids(find(counter, torch=(2, 6)))
    assert "allow_unspec_int" in ids(find(counter, torch=None))
    old = find(SIZE, torch=(2, 6), limit_reached=True)[-1]
    assert "cache_size_limit" in old.snippet


def test_the_limit_is_mentioned_only_when_it_was_reached():
    assert "recompile_limit" not in ids(find(SIZE))
    assert ids(find(SIZE, limit_reached=True))[-1] == "recompile_limit"


def test_a_value_across_a_break_needs_the_break_removed_and_has_no_name():
    found = find(
        "tensor '___stack0' size mismatch at index 0. expected 26, actual 25",
        function="torch_dynamo_resume_in_forward_at_24",
    )
    assert found[0].id == "remove_break"
    assert "line 24" in found[0].text
    assert not any("___stack" in item.snippet for item in found)


def test_a_variable_made_between_breaks_cannot_be_marked_before_the_call():
    for reason in (
        "tensor 'y' size mismatch at index 0. expected 26, actual 25",
        "tensor 'y' size mismatch at index 0. expected 26, actual 1",
        "2 <= y.size()[0]  # h(y)  # a.py:4 in f",
    ):
        found = find(reason, function="torch_dynamo_resume_in_f_at_24", made_inside=True)
        assert found[0].id == "remove_break"
        assert set(ids(found)) <= {"remove_break", "dynamic_true", "dynamic_sources"}


def test_a_layout_after_a_break_is_changed_before_the_break():
    reason = "tensor 'x' stride mismatch at index 0. expected 400, actual 1024"
    after = find(reason, function="torch_dynamo_resume_in_f_at_24")
    assert {"before line 24" in item.text for item in after} == {True}
    assert all("before the call" in item.text for item in find(reason))


def test_an_empty_tensor_on_a_gpu_is_warmed_up_before_it_is_marked():
    reason = "tensor 'x' size mismatch at index 0. expected 8, actual 0"
    there = (Input("x", shape=(8, 2), device="cuda:0"),)
    assert ids(find(reason)) == ["mark_unbacked", "avoid_zero_one", "warm_up"]
    assert ids(find(reason, before=there, options={"backend": "eager"}))[0] == "mark_unbacked"
    found = find(reason, before=there, options={"backend": "inductor"})
    assert ids(found) == ["warm_up", "mark_unbacked", "avoid_zero_one"]
    assert "ZeroDivisionError" in found[1].text
    one = "tensor 'x' size mismatch at index 0. expected 8, actual 1"
    assert ids(find(one, before=there))[0] == "mark_unbacked"


def test_a_later_graphs_number_is_not_taken_for_the_first():
    reason = (
        "self.served == {}  # self.served += 1  # m.py:5 in forward (HINT: torch.compile considers "
        "integer attributes of the nn.Module static.)"
    )
    for entry, value in (("1/0", "torch.tensor(0), "), ("1/3", "torch.tensor(start), ")):
        (first, *_) = find(replace(parse_reason(reason.format(0)), entry=entry))
        assert value in first.snippet


def test_layer_index_is_not_offered_what_does_not_help():
    found = find("self.layer_idx == 0  # x = c[self.layer_idx]  # m.py:5 in forward (HINT: torch."
                 "compile considers integer attributes of the nn.Module static.)")  # fmt: skip
    assert ids(found) == ["pass_from_parent", "compile_whole"]


def test_empty_tensors_are_cloned_as_contiguous_does_nothing():
    reason = "tensor 'x' stride mismatch at index 0. expected 1, actual 0"
    assert ids(find(reason, after=(Input("x", shape=(2, 0), stride=(0, 1)),)))[0] == "clone"
    plain = "tensor 'x' stride mismatch at index 0. expected 6, actual 1"
    assert ids(find(plain, after=(Input("x", shape=(6, 6), stride=(1, 6)),)))[0] == "contiguous"


@pytest.mark.parametrize("reason", [
    SIZE, DUCK,
    "tensor 'x' rank mismatch. expected 2, actual 1",
    "tensor 'x' dtype mismatch. expected Float, actual Half",
    "n == 2  # return x * n  # m.py:4 in f",
    "a == 0.5  # return x * a  # m.py:4 in f",
    "G['STEP'] == 2  # return x * STEP  # m.py:5 in f",
    ("self.step == 0  # self.step += 1  # m.py:5 in forward (HINT: torch.compile considers integer "
    "attributes of the nn.Module to be static.)"),
    "self.param_groups[0]['lr'] == 0.1  # for g in self.param_groups:  # optim/sgd.py:118 in step",
    "GLOBAL_STATE changed: num_threads ",
    'Duplicate tensors found: ["x", "y"]',
    "___check_type_id(xs, 140252562158400), type=<class 'list'>  # return xs[0]  # m.py:4 in f",
    "BACKEND_MATCH failure: torch.compile detected different backend callables.",
])  # fmt: skip
def test_snippets_are_python(reason):
    found = find(reason)
    assert any(item.snippet for item in found)
    for item in found:
        if item.snippet and not item.snippet.startswith("TORCH"):
            ast.parse(item.snippet)


def test_dead_advice_is_never_given():
    texts = " ".join(
        item.text + item.snippet
        for kind in KINDS
        for item in find(GuardFailure(kind=kind, raw="", source="x", required="2"))
    )
    for dead in (
        "inline_inbuilt_nn_modules",
        "_check_tensor_all",
        "torch._assert",
        "suppress_errors",
    ):
        assert dead not in texts


def test_every_remedy_of_the_catalogue_has_a_price():
    assert all(facts.price for facts in FACTS.values())
    assert offer("recompile_limit", "x").unsafe


def test_a_method_or_dunder_is_not_compiled_by_its_name():
    found = find(SIZE, function="__call__")
    assert next(item for item in found if item.id == "dynamic_true").snippet == (
        "model = torch.compile(model, dynamic=True)"
    )


def test_a_random_branch_is_not_answered_with_another_draw():
    event = GraphBroke(
        process=0,
        compile_id="0/0",
        type="Attempted to call function marked as skipped",
        frame=Frame("m.py", 3, "forward", "if random.random() < self.layerdrop:"),
        gb_id="GB0007",
        context="module: random, qualname: Random.random",
    )
    why, fixes = advise(event, (2, 13), whole_frame=True)
    assert "decides a branch" in why
    assert "random_uniform" not in ids(fixes)


def test_a_function_without_a_name_is_no_code():
    first = find("GLOBAL_STATE changed: autocast(cpu)_enabled ", function="")[0]
    assert first.text == "Put `torch.autocast` inside the function and nowhere around its calls"


def test_an_item_that_may_be_a_tuples_is_not_assigned():
    found = find("tensor 'past[0]' stride mismatch at index 1. expected 16, actual 48")
    assert [remedy.snippet for remedy in found if remedy.snippet] == []
    named = find("tensor 'batch['x']' stride mismatch at index 1. expected 16, actual 48")
    assert named[0].snippet


def test_none_is_not_converted_to_the_class_of_the_others():
    raw = "___check_type_id(past, 7654), type=<class 'tuple'>"
    found = find(replace(parse_reason(raw), observed="NoneType"))
    assert ids(found) == ["warm_up"]


def test_complex_numbers_are_not_made_real():
    found = find("tensor 'x' dtype mismatch. expected Float, actual ComplexFloat")
    assert "cast_dtype" not in ids(found)
    assert "cast_dtype" in ids(find("tensor 'x' dtype mismatch. expected Float, actual Double"))


def test_the_bound_of_a_slice_is_not_held_in_a_buffer():
    at = "  # self.queue[{}] = keys  # m.py:4 in f"
    for bound in ("self.ptr : self.ptr + n", "self.ptr:", ": self.ptr"):
        assert "buffer" not in ids(find("self.ptr == 8" + at.format(bound), values=("8", "16")))


def test_an_int_of_an_object_whose_value_is_asked_for_is_not_called_symbolic():
    line = "  # m[: self.active]  # m.py:4 in f"
    first = parse_reason("self.active == 1" + line)
    later = parse_reason("self.active == 2" + line + " (_dynamo/x.py:2 in evaluate_expr)")
    found = remedies(
        Evidence(
            replace(first, kind="attr.object"),
            (first, later),
            ("1", "2", "3"),
            Frame("m.py", 3, "f"),
            constant=True,
        )
    )
    assert "dynamic_true" not in ids(found)
