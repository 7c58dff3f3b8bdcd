"""Guards are evaluated again against what a call brought; their texts are from torch 2.13."""

from __future__ import annotations

import pytest

from compilescope.diagnose.nearest import (
    Inputs,
    constants_of,
    differences,
    is_constant,
    size_of,
)
from compilescope.model import Compiled, Frame, Input

CHECK = (
    "TENSOR_MATCH: check_tensor(L['x'], Tensor, DispatchKeySet(CPU, BackendSelect, "
    "ADInplaceOrView, AutogradCPU), torch.float32, device=None, requires_grad=False, "
    "size=[None, 3], stride=[3, 1])  # return x.sum(0)  # f.py:4 in f"
)
ZERO_ONE = "LAMBDA_GUARD: 2 <= L['x'].size()[0]  # return x.sum(0)  # f.py:4 in f (user code ...)"


def entry(*guards: str) -> Compiled:
    return Compiled(process=0, compile_id="0/0", frame=Frame("f.py", 3, "f"), guards=guards)


def tensor(source: str = "x", **changed: object) -> Input:
    fields = {
        "shape": (4, 3),
        "stride": (3, 1),
        "dtype": "torch.float32",
        "device": "cpu",
        "requires_grad": False,
    }
    return Input(source, **(fields | changed))  # type: ignore[arg-type]


def found(guards: tuple[str, ...], *inputs: Input) -> list[tuple[str, str, str, str]]:
    return [
        (item.source, item.aspect, item.required, item.observed)
        for item in differences(entry(*guards), Inputs(inputs))
    ]


def test_a_call_that_fits_has_no_differences():
    assert found((CHECK, ZERO_ONE), tensor()) == []


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"shape": (4, 5)}, [("x", "size 1", "3", "5")]),
        (
            {"shape": (4, 3), "stride": (1, 4)},
            [("x", "stride 0", "3", "1"), ("x", "stride 1", "1", "4")],
        ),
        ({"dtype": "torch.float64"}, [("x", "dtype", "torch.float32", "torch.float64")]),
        ({"requires_grad": True}, [("x", "requires_grad", "False", "True")]),
        ({"shape": (4,), "stride": (1,)}, [("x", "rank", "2", "1")]),
        ({"shape": (1, 3)}, [("", "guard", "2 <= x.size()[0]", "")]),
    ],
)
def test_each_aspect_of_a_tensor_is_compared(changed: dict[str, object], expected: list[object]):
    assert found((CHECK, ZERO_ONE), tensor(**changed)) == expected


@pytest.mark.parametrize(
    ("guard", "holds"),
    [
        ("L['y'].size()[0] == L['x'].size()[0]", False),
        ("L['y'].size()[0] == 2*L['x'].size()[0]", True),
        ("(L['x'].size()[1]*L['x'].size()[0]) != L['y'].size()[0]", True),
        ("((L['x'].size()[0] // 4) % 2) == 0", False),
        ("4 <= L['x'].size()[0] <= 16", True),
        ("max(L['y'].size()[0], L['x'].size()[0]) > 10", False),
        ("L['x'].stride()[0] == L['x'].size()[1]", True),
        ("(L['x'].size()[0] / 3) > 4.0", False),
        ("not L['x'].size()[0] == 4", False),
        ("L['x'].size()[0] > 3 and L['y'].size()[0] > 9", False),
    ],
)
def test_expressions_over_sizes_are_evaluated(guard: str, holds: bool):
    inputs = (tensor(), tensor("y", shape=(8, 3)))
    assert (found((f"LAMBDA_GUARD: {guard}  # code  # f.py:4 in f",), *inputs) == []) is holds


@pytest.mark.parametrize(
    "guard",
    [
        "torch._sym_sqrt(torch.sym_float(L['x'].size()[0])) > 3.5",
        "L['z'].size()[0] == 3",
        "L['x'].size()[7] == 3",
        "L['x'].size()[0] // 0 == 3",
        "not even ( python .size()",
        "__import__('os').system('x') == L['x'].size()[0]",
    ],
)
def test_what_cannot_be_evaluated_is_not_a_difference(guard: str):
    assert found((f"LAMBDA_GUARD: {guard}",), tensor()) == []


def test_constants_come_from_the_new_graphs_own_guards():
    old = entry("EQUALS_MATCH: L['n'] == 2          # return x * n  # f.py:4 in f")
    new = entry("EQUALS_MATCH: L['n'] == 3          # return x * n  # f.py:4 in f")
    call = Inputs((), constants_of(new))
    assert [(item.required, item.observed) for item in differences(old, call)] == [("2", "3")]


def test_a_difference_reads_as_the_failure_that_was_never_printed():
    guards = (CHECK, "EQUALS_MATCH: L['self']._modules['a'].step == 2")
    call = Inputs((tensor(shape=(4, 5)),), {"self._modules['a'].step": "3"})
    first, second = (item.failure("0/0") for item in differences(entry(*guards), call))
    assert (first.kind, first.source, first.dimension) == ("tensor.size", "x", 1)
    assert (first.required, first.observed, first.entry) == ("3", "5", "0/0")
    assert (second.kind, second.source) == ("module.int_attr", "self.a.step")
    assert (second.required, second.observed) == ("2", "3")


def test_a_symbolic_number_is_known_from_the_call():
    call = Inputs((Input("n", type="int", value="7"),))
    guard = "LAMBDA_GUARD: L['n'] <= L['x'].size()[0]"
    call.tensors["x"] = tensor()
    assert [item.required for item in differences(entry(guard), call)] == ["n <= x.size()[0]"]


def test_size_of_a_dimension():
    call = Inputs((tensor(),))
    assert size_of("x", 1, call) == "3"
    assert size_of("x", 5, call) == size_of("y", 0, call) == size_of("x", None, call) == ""


TYPE = "TYPE_MATCH: ___check_type_id(L['self']._modules['attn'], 9), type=<class 'm.Mix'>"
NONE = "NONE_MATCH: L['self'].attn is None"


def from_compile(guards: tuple[str, ...], *brought: str) -> list[tuple[str, str, str, str]]:
    call = Inputs((), None, entry(*brought))
    return [tuple(item) for item in differences(entry(*guards), call)]


def test_the_new_graph_knows_better_than_the_signature_of_an_earlier_call():
    call = Inputs(
        (Input("last", type="bool", value="True"),), None, entry("FALSE_MATCH: L['last'] == False")
    )
    assert differences(entry("FALSE_MATCH: L['last'] == False"), call) == []
    (found,) = differences(entry("TRUE_MATCH: L['last'] == True"), call)
    assert (found.required, found.observed) == ("True", "False")


def test_what_the_new_graph_guards_is_what_the_call_brought():
    assert from_compile((NONE,), TYPE) == [("self.attn", "value", "None", "Mix")]
    assert from_compile((TYPE,), NONE) == [("self._modules['attn']", "type", "m.Mix", "NoneType")]
    assert from_compile((NONE, TYPE), NONE, TYPE) != [("self.attn", "type", "m.Mix", "m.Mix")]
    assert from_compile(
        ("LENGTH_CHECK: len(L['xs']) == 2",), "LENGTH_CHECK: len(L['xs']) == 3"
    ) == [("len(xs)", "value", "2", "3")]
    assert from_compile(("DICT_LENGTH: not L['d']",), "DICT_LENGTH: len(L['d']) == 3") == [
        ("len(d)", "value", "0", "3")
    ]


def test_nothing_is_different_where_the_new_graph_says_nothing():
    assert from_compile((TYPE, NONE, "EQUALS_MATCH: L['n'] == 2")) == []


def test_members_that_came_or_went():
    there = "DICT_CONTAINS: ___dict_contains('mask', L['d'])"
    gone = "DICT_CONTAINS: not ___dict_contains('mask', L['d'])"
    assert from_compile((there,), gone) == [("", "guard", "___dict_contains('mask', d)", "")]
    assert from_compile((there,), there) == []


def test_a_larger_contiguous_tensor_has_no_other_layout():
    fixed = CHECK.replace("size=[None, 3]", "size=[4, 3]")
    assert found((fixed,), tensor(shape=(4, 5), stride=(5, 1))) == [("x", "size 1", "3", "5")]
    aspects = [item[1] for item in found((fixed,), tensor(shape=(4, 5), stride=(1, 4)))]
    assert aspects == ["size 1", "stride 0", "stride 1"]


def test_a_symbolic_float_of_older_torch_is_no_constant():
    # torch 2.6 to 2.9 write a guard that compares the number with itself as a tensor.
    graph = entry(
        "LAMBDA_GUARD: L['config'].lr == ___as_tensor(L['config'].lr).item()",
    )
    assert is_constant(graph, "config.lr", None) is False
    assert constants_of(graph) == {}
