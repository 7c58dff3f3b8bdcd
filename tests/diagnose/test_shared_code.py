"""Layers, models and wrappers that share one compiled function: what tells their graphs apart."""

from __future__ import annotations

import pytest

from compilescope.diagnose import diagnose
from compilescope.logs.guards import parse_reason
from compilescope.model import Callable, Called, Compiled, Frame, Input, Recompiled, Session

F = Frame("/home/me/x.py", 3, "forward")
LAYER = "___check_type_id(L['layer'], {}), type=<class 'torch.nn.modules.{}'>"
CLASSES = {"Linear": 1, "GELU": 2}
FUNCTION = (Callable(0, "run", F, "function"),)


def check(source: str, shape: tuple[int, ...], dtype: str = "float32") -> str:
    """The guard on a contiguous tensor of one or two dimensions."""
    stride = ", ".join(map(str, (*shape[1:], 1)[: len(shape)]))
    sizes = ", ".join(map(str, shape))
    return (
        f"TENSOR_MATCH: check_tensor({source}, Tensor, DispatchKeySet(CPU, BackendSelect), "
        f"torch.{dtype}, device=None, requires_grad=False, size=[{sizes}], stride=[{stride}])"
    )


def causes(
    *calls: tuple[int, tuple[str, ...], tuple[str, ...]],
    callables: tuple[Callable, ...] = FUNCTION,
    outcome: str = "compiled",
    inputs: tuple[Input, ...] = (),
):
    """The causes of calls that each compiled: the callable, the guards, the reasons given."""
    events: list[object] = []
    numbers = [0] * len(callables)
    for number, (index, guards, reasons) in enumerate(calls):
        name, last = f"0/{number}", number == len(calls) - 1
        found = tuple(parse_reason(reason) for reason in reasons)
        if found:
            events.append(Recompiled(0, name, F, reasons=found))
        events.append(
            Compiled(0, name, F, guards=guards, inputs=inputs if last else (),
                     outcome=outcome if last else "compiled")
        )  # fmt: skip
        events.append(Called(0, index, numbers[index], 1.0 + number, 1.0, (name,)))
        numbers[index] += 1
    return diagnose(Session(events=tuple(events), callables=callables)).causes


def layer(kind: str, columns: int, width: int = 0) -> tuple[str, ...]:
    guards = (
        f"TYPE_MATCH: {LAYER.format(CLASSES[kind], kind)}",
        check("L['x']", (4, columns)),
    )
    weight = check("L['layer']._parameters['weight']", (width, columns))
    return (*guards, weight) if width else guards


def other_class(entry: int, kind: str) -> str:
    return f"0/{entry}: {LAYER.format(CLASSES[kind], kind)}"


def test_a_layer_whose_class_has_a_graph_is_told_by_its_width():
    again = "0/0: tensor 'x' size mismatch at index 1. expected 16, actual 24"
    found = causes(
        (0, layer("Linear", 16, 24), ()),
        (0, layer("GELU", 24), (again,)),
        (0, layer("Linear", 24, 40), (other_class(1, "GELU"), again)),
    )
    by_kind = {one.kind: one for one in found}
    assert set(by_kind) == {"type.module", "module.param_shape"}
    assert "call 2 had 40" in by_kind["module.param_shape"].why
    # A layer of another class needs its own graph, whatever size it is given.
    assert "call 1 had a `GELU`" in by_kind["type.module"].why
    assert [one.id for one in by_kind["type.module"].remedies] == ["compile_whole", "warm_up"]


def test_one_change_under_another_dynamic_is_another_cause():
    def compiled(dynamic: str) -> Callable:
        return Callable(0, "Net", F, "module", options={"dynamic": dynamic})

    x = [(check("L['x']", (rows, 7)),) for rows in (8, 3, 1, 2)]
    reason = "0/{}: tensor 'x' size mismatch at index 0. expected {}, actual {}"
    static, dynamic = causes(
        (0, x[0], ()),
        (0, x[1], (reason.format(0, 8, 3),)),
        (1, x[3], (reason.format(1, 3, 2),)),
        callables=(compiled("False"), compiled("True")),
    )
    assert static.remedies[0].id == "drop_dynamic_false"
    assert "dynamic=False" not in dynamic.why
    assert all(one.id != "drop_dynamic_false" for one in dynamic.remedies)
    assert static.id != dynamic.id


@pytest.mark.parametrize("required", ["1.0", "3", "True"])
def test_a_tensor_where_a_number_was(required: str):
    guard = f"EQUALS_MATCH: L['weight'] == {required}"
    brought = (Input("L['weight']", shape=(), dtype="torch.float32"),)
    (found,) = causes(
        (0, (guard,), ()),
        (0, (check("L['weight']", ()),), (f"0/0: weight == {required}",)),
        inputs=brought,
    )
    assert f"`weight` was `{required}`" in found.why
    assert "call 1 passed a tensor" in found.why
    assert [one.snippet for one in found.remedies] == ["weight = torch.as_tensor(weight)"]


def test_a_tensor_of_another_dtype_is_not_cast_where_the_module_was_converted():
    reason = "0/0: tensor 'x' dtype mismatch. expected Float, actual Double"
    weight, x = "L['self']._parameters['weight']", "L['x']"
    both = [
        (check(x, (4, 5), dtype), check(weight, (3, 5), dtype)) for dtype in ("float32", "float64")
    ]
    (found,) = causes((0, both[0], ()), (0, both[1], (reason,)))
    assert [one.id for one in found.remedies] == ["warm_up", "set_once"]
    (alone,) = causes((0, both[0][:1], ()), (0, both[1][:1], (reason,)))
    assert alone.remedies[0].id == "cast_dtype"


def test_a_head_that_was_replaced_by_another_width_is_not_to_get_a_bias():
    head, tied = "L['self']._modules['head']._parameters", "L['self']._modules['emb']._parameters"
    no_bias = f"NONE_MATCH: {head}['bias'] is None"
    embedding = check(f"{tied}['weight']", (40, 16))
    same = f"LAMBDA_GUARD: {tied}['weight'] is {head}['weight']"
    reason = "self._modules['head']._parameters['bias'] is None"
    (_, found) = causes(
        (0, (embedding, no_bias, same), ()),
        (0, (embedding, no_bias, check(f"{head}['weight']", (40, 16))), (f"0/0: {same[14:]}",)),
        (
            0,
            (embedding, check(f"{head}['weight']", (3, 16)), check(f"{head}['bias']", (3,))),
            (f"0/1: {reason}", f"0/0: {reason}"),
        ),
        callables=(Callable(0, "LM", F, "module"),),
    )
    assert found.kind == "module.param_shape"
    assert "share the code" not in found.why
    assert "Replace `self.head` before the first call" in found.remedies[0].text


def test_a_number_whose_symbol_did_not_compile_is_not_to_be_symbolic():
    (found,) = causes(
        (0, ("EQUALS_MATCH: L['power'] == 2",), ()),
        (0, (), ("0/0: power == 2",)),
        outcome="failed",
        inputs=(Input("L['power']", value="1"),),
    )
    assert "that compile raised" in found.why
    assert [one.id for one in found.remedies] == ["pass_as_tensor", "dynamic_false"]
    (text,) = causes(
        (0, ("EQUALS_MATCH: L['mode'] == 'a'",), ()),
        (0, (), ("0/0: mode == 'a'",)),
        outcome="failed",
    )
    assert "dynamic_false" not in [one.id for one in text.remedies]


def test_a_buffer_of_another_size_is_not_to_be_marked():
    # torch 2.13: five sizes of a buffer are five graphs, marked or not; two with the switch.
    buffer = "L['self']._buffers['bank']"
    reason = "0/0: tensor 'self._buffers['bank']' size mismatch at index 0. expected 4, actual 5"
    (found,) = causes((0, (check(buffer, (4, 3)),), ()), (0, (check(buffer, (5, 3)),), (reason,)))
    assert "Shapes of buffers are constants" in found.why
    assert [one.id for one in found.remedies] == ["force_parameter_static_shapes", "preallocate"]


def test_another_model_is_told_as_one_also_where_it_recompiles_again():
    blocks = tuple(Callable(0, "Block", F, "module") for _ in range(2))
    act = "___check_type_id(L['self']._modules['act'], {}), type=<class 'torch.nn.modules.{}'>"
    graphs = [(f"TYPE_MATCH: {act.format(CLASSES[kind], kind)}",) for kind in CLASSES]
    reason = f"0/0: {act.format(1, 'Linear')}"
    (found,) = causes(
        (0, graphs[0], ()), (1, graphs[1], (reason,)), (1, graphs[1], (reason,)), callables=blocks
    )
    assert "the first call of another `Block` had a `GELU`" in found.why
    assert [one.id for one in found.remedies] == ["warm_up", "isolate_recompiles"]


def test_an_attribute_of_modules_that_are_compiled_in_their_class():
    graphs = [(f"EQUALS_MATCH: L['self'].mode == '{mode}'",) for mode in ("nearest", "bicubic")]
    (found,) = causes((0, graphs[0], ()), (0, graphs[1], ("0/0: self.mode == 'nearest'",)))
    ids = [one.id for one in found.remedies]
    assert ids[:2] == ["warm_up", "compile_whole"] or found.kind.startswith("attr.")


def test_a_layer_of_another_model_is_not_to_be_replaced():
    layer = "self._modules['emb']._parameters['weight']"
    weight = layer.replace("self", "L['self']", 1)
    reason = f"0/0: tensor '{layer}' size mismatch at index 1. expected 16, actual 8"
    models = tuple(Callable(0, "LM", F, "module") for _ in range(2))
    (found,) = causes(
        (0, (check(weight, (40, 16)),), ()),
        (1, (check(weight, (40, 8)),), (reason,)),
        callables=models,
    )
    assert "the first call of another `LM` had 8" in found.why
    assert [one.id for one in found.remedies] == ["warm_up", "isolate_recompiles"]
