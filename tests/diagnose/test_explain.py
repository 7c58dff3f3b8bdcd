"""Explanations: values in, no holes, no long sentences, every kind covered."""

from __future__ import annotations

import re

import pytest

from compilescope.diagnose.evidence import Evidence
from compilescope.diagnose.explain import is_explained, why
from compilescope.diagnose.remedies import has_remedies, remedies
from compilescope.logs.guard_kinds import KINDS
from compilescope.logs.guards import parse_reason
from compilescope.model import Frame, GuardFailure, Input

F = Frame("/home/u/train.py", 10, "forward")


def evidence(reason="", *, calls=(41,), values=None, function=F, torch=(2, 13), **fields):
    failure = parse_reason(reason) if isinstance(reason, str) else reason
    seen = tuple(value for value in (failure.required, failure.observed) if value)
    return Evidence(
        failure,
        (failure,),
        seen if values is None else values,
        function,
        calls=calls,
        torch=torch,
        **fields,
    )


REASONS = [
    "tensor 'x' size mismatch at index 0. expected 8, actual 1",
    "tensor 'x' size mismatch at index 0. expected 8, actual 5",
    "tensor '___stack0' size mismatch at index 0. expected 26, actual 25",
    (
        "tensor 'self._parameters['w']' size mismatch at index 1. expected 4, actual 5. Guard "
        "failed on "
        "a parameter, consider using torch._dynamo.config.force_parameter_static_shapes = False to "
        "allow dynamism on parameters."
    ),
    "tensor 'x' rank mismatch. expected 1, actual 2",
    "tensor 'x' stride mismatch at index 0. expected 6, actual 1",
    "tensor 'x' dtype mismatch. expected Float, actual Half",
    (
        "tensor 'x' dispatch key set mismatch. expected DispatchKeySet(CPU, BackendSelect, "
        "ADInplaceOrView, AutogradCPU), actual DispatchKeySet(CUDA, BackendSelect, "
        "ADInplaceOrView, "
        "AutogradCUDA)"
    ),
    "tensor 'x' requires_grad mismatch. expected requires_grad=0",
    "expected type of 'mask' to be a tensor type, ' but found <class 'NoneType'>",
    "_has_dynamo_dim_marking is present on runtime tensor but was absent at compile time",
    (
        "y.size()[0] == x.size()[0]  # duck sizing added this equality because these variables "
        "had the "
        "same size 4 (to avoid this specialization, set "
        "torch.fx.experimental._config.use_duck_shape "
        "= False)"
    ),
    (
        "2 <= x.size()[0]  # return x.sum(0)  # a.py:4 in f (user code shown is first use of this "
        "value--the guard itself is not due user code but due to 0/1 specialization in the "
        "framework)"
    ),
    (
        "2 <= x.size()[0] <= 99  # if x.shape[0] < 100:  # a.py:4 in f "
        "(_dynamo/variables/tensor.py:2606"
        " in evaluate_expr)"
    ),
    ("(x.size()[0] % 8) == 0  # if x.shape[0] % 8:  # a.py:4 in f (_d/variables/tensor.py:1 in e)"),
    (
        "torch._sym_sqrt(torch.sym_float(x.size()[0])) > 3.5  # if math.sqrt(x.shape[0]) > 3.5:  "
        "# a.py:5 in f (_dynamo/variables/tensor.py:2606 in evaluate_expr)"
    ),
    "n == 2  # return x * n  # a.py:4 in f",
    (
        "n == 3  # for _ in range(n):  # a.py:4 in f (_dynamo/variables/tensor.py:2606 in "
        "evaluate_expr)"
    ),
    "a == 0.5  # return x * a  # a.py:4 in f",
    "(type(a) is float and __math_isnan(a))  # return x * a  # a.py:4 in f",
    "flag == True  # return x if flag else -x  # a.py:4 in f",
    "mode == 'train'  # if mode == 'train':  # a.py:4 in f",
    "mask is None  # if mask is None:  # a.py:4 in f",
    "___check_obj_id(m, 140706067929232), type=<class '__main__.M'>  # if m is M.A:  # a.py:4 in f",
    "len(xs) == 2  # return xs[0]  # a.py:4 in f",
    "not cache  # cache.append(x)  # a.py:4 in f",
    "len(d) != 1",
    "___dict_contains('mask', d)  # if 'mask' in d:  # a.py:4 in f",
    "KeyError on d['a']",
    "not hasattr(o, 'scale')  # if hasattr(o, 'scale'):  # a.py:6 in f",
    "___check_type_id(xs, 140252562158400), type=<class 'list'>  # return xs[0]  # a.py:4 in f",
    ("___check_obj_id(g.__code__, 14048323895), type=<class 'code'>  # return g(x)  # a.py:4 in f"),
    "g.__defaults__[0] == 2  # def g(x, a=k): return x * a  # a.py:3 in g",
    'g.__closure__[0].cell_contents == 2  # return x * k  # a.py:3 in g (HINT: guard on "k")',
    "G['STEP'] == 2  # return x * STEP  # a.py:5 in f",
    (
        "self.step == 0  # if self.step > 2:  # a.py:5 in forward (HINT: torch.compile considers "
        "integer "
        "attributes of the nn.Module to be static.)"
    ),
    "self.training == True  # return F.dropout(x)  # a.py:7 in forward",
    (
        "self.param_groups[0]['lr'] == 0.1  # for g in self.param_groups:  # optim/sgd.py:118 in "
        "step"
    ),
    "GLOBAL_STATE changed: grad_mode ",
    "GLOBAL_STATE changed: grad_mode autocast(cpu)_enabled allow_tf32 ",
    "___check_torch_function_mode_stack()",
    'Duplicate tensors found: ["x", "y"]',
    "x is y  # return x + y  # a.py:4 in f",
    "Cache line invalidated because type(L['o']) got deallocated",
    (
        "BACKEND_MATCH failure: torch.compile detected different backend callables. Cached "
        "backend: a "
        "(id=0x1). New backend: b (id=0x2)."
    ),
    "",
    "something that nobody has ever seen",
]


def test_every_kind_has_words_and_remedies():
    assert [kind for kind in KINDS if not is_explained(kind)] == []
    assert [kind for kind in KINDS if not has_remedies(kind)] == []


@pytest.mark.parametrize("reason", REASONS)
@pytest.mark.parametrize("known", [True, False])
def test_sentences_read_well(reason, known):
    text = why(evidence(reason, calls=(41,) if known else ()))
    assert text.endswith((".", "`."))
    assert text[0].isupper() or text[0] == "`"
    assert text.count("`") % 2 == 0
    assert not re.search(r"``|  |\bNone when|[{}]{2}|\bL\[|\bG\[|___|\(\)$| ,|\.\.", text), text
    assert not re.search(r"\d{9}|0x[0-9a-f]{4}", text), text
    for sentence in re.split(r"(?<=[.;:]) ", re.sub(r"`[^`]*`", "code", text)):
        assert len(sentence.split()) <= 35, sentence


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_alone_still_gives_whole_sentences(kind):
    text = why(evidence(GuardFailure(kind=kind, raw="")))
    assert text.endswith(".")
    assert not re.search(r"``|  | ,|(?<!\w)\(\)|: \.", text), text


def test_values_and_call_are_named():
    text = why(evidence("tensor 'x' size mismatch at index 0. expected 8, actual 1"))
    assert text == (
        "`x` had size 8 in dimension 0 when this graph was compiled; call 41 had 1. "
        "PyTorch compiles sizes 0 and 1 separately, even when the dimension is dynamic."
    )


def test_rows_where_the_rank_is_known():
    before = (Input("x", shape=(8, 16)),)
    text = why(evidence(REASONS[0], before=before))
    assert text.startswith("`x` had 8 rows when this graph was compiled; call 41 had 1.")


def test_unknown_values_leave_no_hole():
    text = why(evidence("n == 2  # return x * n  # a.py:4 in f", calls=()))
    assert text.startswith(
        "`n` was `2` when this graph was compiled; a later call had another value."
    )


def test_values_across_a_graph_break_are_said_in_words():
    resumed = Frame("/home/u/train.py", 24, "torch_dynamo_resume_in_forward_at_24")
    text = why(evidence(REASONS[2], function=resumed))
    assert text.startswith("A value that crosses the graph break at line 24 of `forward`")
    assert "___stack" not in text
    small = why(evidence("2 <= ___stack0.size()[0]  # h(y)  # a.py:4 in f", function=resumed))
    assert small.startswith("`value_from_line_24.shape[0]` was 0 or 1 in call 41")
    merged = (
        "___stack1.size()[0] == ___stack0.size()[0]  # duck sizing added this equality because "
        "these variables had the same size 4"
    )
    two = why(evidence(merged, function=resumed))
    assert two.startswith("`value_from_line_24_1.shape[0]` and `value_from_line_24_2.shape[0]`")


def test_a_variable_made_between_breaks_is_told_from_an_argument():
    resumed = Frame("/home/u/train.py", 24, "torch_dynamo_resume_in_forward_at_24")
    text = why(evidence(REASONS[1], function=resumed, made_inside=True))
    assert text.startswith("`x`, made before the graph break at line 24, had ")
    assert "The break makes it an input of the next graph" in text


def test_module_notation_is_the_users():
    text = why(evidence(REASONS[3]))
    assert "`self.w`" in text
    assert "Modules of several widths share the code" in text
    assert "Shapes of parameters" in why(evidence(REASONS[3], another="Net"))


def test_a_dimension_that_stays_constant_is_not_called_dynamic():
    text = why(evidence(REASONS[1], values=("8", "5", "7")))
    assert "8, 5 and 7" in text
    assert "dynamic" not in text


def test_an_int_that_steers_a_loop_is_not_promised_to_become_symbolic():
    assert "symbolic" in why(evidence("n == 2  # return x * n  # a.py:4 in f"))
    loop = why(evidence("n == 2  # for _ in range(n):  # a.py:4 in f"))
    assert "symbolic" not in loop
    assert "each value is compiled" in loop


def test_a_global_int_is_not_promised_to_become_symbolic():
    assert "stays a constant" in why(evidence("G['STEP'] == 2  # return x * STEP  # a.py:5 in f"))


def test_floats_of_an_old_torch():
    text = why(evidence("a == 0.5  # return x * a  # a.py:4 in f", torch=(2, 4)))
    assert "keeps floats constant" in text


@pytest.mark.parametrize(
    ("actual", "word"),
    [
        ("CUDA, BackendSelect, ADInplaceOrView, AutogradCUDA", "a GPU"),
        ("CPU, BackendSelect", "inference"),
        ("CPU, BackendSelect, Conjugate, ADInplaceOrView, AutogradCPU", "conjugated"),
        ("SparseCPU, BackendSelect, ADInplaceOrView, AutogradCPU", "sparse"),
        ("CPU, BackendSelect, FuncTorchBatched, ADInplaceOrView, AutogradCPU", "torch.func"),
    ],
)
def test_dispatch_keys_are_translated(actual, word):
    reason = (
        "tensor 'x' dispatch key set mismatch. expected DispatchKeySet(CPU, BackendSelect, "
        f"ADInplaceOrView, AutogradCPU), actual DispatchKeySet({actual})"
    )
    assert word in why(evidence(reason))


def test_unknown_text_is_said_to_be_unknown():
    assert "does not know" in why(evidence("something that nobody has ever seen"))


def test_positional_arguments_are_called_so():
    text = why(evidence("len(args) == 1  # return fn(*args)  # a.py:4 in f"))
    assert "number of arguments" in text


@pytest.mark.parametrize(
    ("line", "noun"),
    [("for k in state.items():", "4 keys"), ("return state[0]", "4 items")],
)
def test_a_dict_is_told_from_a_list_where_the_line_shows_it(line, noun):
    assert noun in why(evidence(f"len(state) == 4  # {line}  # a.py:4 in f"))


def test_a_constant_under_dynamic_true_is_not_promised_to_become_dynamic():
    options = {"dynamic": "True"}
    assert "the code fixes its size" in why(evidence(REASONS[1], options=options))
    text = why(evidence("n == 2  # return x * n  # a.py:4 in f", options=options))
    assert "symbolic" not in text


def test_the_other_value_of_a_flag_is_known():
    assert "call 41 had `False`" in why(evidence("flag == True  # return x  # a.py:4 in f"))


def test_settings_that_torch_2_15_names_anew_are_the_known_ones():
    found = evidence(
        "GLOBAL_STATE changed: deterministic_algorithms_warn_only cuda_matmul_precision "
    )
    assert "`use_deterministic_algorithms` and TF32" in why(found)
    single = evidence("GLOBAL_STATE changed: cuda_matmul_precision ")
    assert single.failure.kind == "global_state.allow_tf32"
    assert [one.id for one in remedies(single)] == ["set_once"]
