"""Compiled callables that share the code of a function: what is told of each one's first call."""

from __future__ import annotations

from compilescope.diagnose import diagnose
from compilescope.logs.guards import parse_reason
from compilescope.model import (
    Callable,
    Called,
    Compiled,
    Frame,
    Input,
    Recompiled,
    Session,
    Signature,
)

F = Frame("/home/me/x.py", 3, "forward")
CHECK = (
    "TENSOR_MATCH: check_tensor(L[{}], Tensor, DispatchKeySet(CPU, BackendSelect), "
    "torch.float32, device=None, requires_grad=False, size=[{}], stride=[{}])"
)
WEIGHT = "'self']._parameters['weight'"


def two_models(width: str, *reasons: str):
    """The cause of the first call of a second `Net`, with other columns and another width."""
    graphs = (
        (CHECK.format("'x'", "4, 5", "5, 1"), CHECK.format(WEIGHT, "8, 16", "16, 1")),
        (CHECK.format("'x'", "4, 1", "1, 1"), CHECK.format(WEIGHT, f"8, {width}", f"{width}, 1")),
    )
    failures = tuple(parse_reason(f"0/0: {reason}") for reason in reasons)
    events = (
        Called(0, 0, 0, 1.0, 1.0, ("0/0",)),
        Compiled(0, "0/0", F, guards=graphs[0]),
        Called(0, 1, 0, 2.0, 1.0, ("0/1",)),
        Recompiled(0, "0/1", F, reasons=failures),
        Compiled(0, "0/1", F, guards=graphs[1]),
    )
    nets = tuple(Callable(0, "Net", F, "module") for _ in range(2))
    (found,) = diagnose(Session(events=events, callables=nets)).causes
    return found


def test_a_model_of_another_width_is_the_cause_and_not_what_its_first_input_was():
    found = two_models("32", "tensor 'x' size mismatch at index 1. expected 5, actual 1")
    assert found.kind == "module.param_shape"
    assert "the first call of another `Net` had 32" in found.why
    assert not found.also


def test_what_one_callable_gives_a_module_of_another_width_follows_from_that():
    blocks = (Callable(0, "forward", F, "function"),)
    reason = parse_reason("0/0: tensor 'x' size mismatch at index 1. expected 5, actual 1")
    calls = [Called(0, 0, number, 1.0 + number, 1.0, (f"0/{number}",)) for number in range(2)]
    graphs = [
        Compiled(0, f"0/{number}", F, guards=(
            CHECK.format("'x'", f"4, {given}", f"{given}, 1"),
            CHECK.format(WEIGHT, f"8, {width}", f"{width}, 1"),
        ))
        for number, given, width in ((0, 5, 16), (1, 1, 32))
    ]  # fmt: skip
    again = Recompiled(0, "0/1", F, reasons=(reason,))
    events = (calls[0], graphs[0], calls[1], again, graphs[1])
    (found,) = diagnose(Session(events=events, callables=blocks)).causes
    assert (found.kind, found.also) == ("module.param_shape", ())
    assert "call 1 had 32. Modules of several widths share the code of `forward`" in found.why
    assert [one.id for one in found.remedies][:2] == ["compile_whole", "warm_up"]


def test_a_model_of_the_same_width_recompiles_for_its_input():
    found = two_models("16", "tensor 'x' size mismatch at index 1. expected 5, actual 1")
    assert found.kind == "tensor.size"


def test_a_first_call_is_told_as_that_of_another_callable():
    assert "differs in the first call of another `Net`" in (
        two_models("16", "GLOBAL_STATE changed: grad_mode ").why
    )


def test_a_graph_of_a_model_with_other_parameters_is_not_the_nearest():
    weight = CHECK.format(WEIGHT, "8, 7", "7, 1")
    frozen = weight.replace("requires_grad=False", "requires_grad=True")
    graphs = [
        Compiled(0, f"0/{number}", F, guards=(CHECK.format("'x'", sizes, strides), parameter))
        for number, (sizes, strides, parameter) in enumerate((
            ("8, 4", "4, 1", weight), ("8, 7", "7, 1", frozen), ("5, 7", "7, 1", weight),
        ))
    ]  # fmt: skip
    reason = "0/{}: tensor 'x' size mismatch at index 0. expected 8, actual 5"
    again = Recompiled(0, "0/2", F, reasons=tuple(parse_reason(reason.format(n)) for n in (1, 0)))
    calls = [Called(0, 0, number, 1.0 + number, 1.0, (f"0/{number}",)) for number in range(3)]
    events = (calls[0], graphs[0], calls[1], graphs[1], calls[2], again, graphs[2])
    (found,) = diagnose(Session(events=events, callables=(Callable(0, "Net", F, "module"),))).causes
    (also,) = found.also
    assert also.startswith("size 1 of `x` changed at the same calls (4, 7)")


def test_a_recompile_that_the_limit_refused_is_told_by_what_that_call_brought():
    shapes = {0: (8, 16, 32), 1: (8, 8, 64), 2: (5, 8, 64)}
    x = {number: Input("x", shape=shape) for number, shape in shapes.items()}
    graphs = [
        Compiled(0, f"0/{number}", F, inputs=(x[number],), guards=(
            CHECK.format("'x'", str(shapes[number])[1:-1], f"{a * b}, {b}, 1"),
        ))
        for number, (_, a, b) in ((0, shapes[0]), (1, shapes[1]))
    ]  # fmt: skip
    text = "0/{}: tensor 'x' size mismatch at index {}. expected {}, actual {}"
    reasons = tuple(parse_reason(text.format(*one)) for one in ((1, 0, 8, 5), (0, 2, 32, 64)))
    calls = [
        Called(0, 0, 0, 1.0, 0.5, ("0/0",), signature=0),
        Called(0, 0, 1, 2.0, 0.5, ("0/1",), signature=1),
        Called(0, 0, 2, 3.0, 0.5, signature=2, eager=True),
    ]
    for order in (reasons, reasons[::-1]):
        refused = Recompiled(0, "0/2", F, at=3.1, reasons=order, refused=True)
        session = Session(
            events=(calls[0], graphs[0], calls[1], graphs[1], calls[2], refused),
            callables=(Callable(0, "Net", F, "module"),),
            signatures=tuple(Signature((x[number],)) for number in range(3)),
        )
        (found,) = diagnose(session).causes
        assert (found.dimension, found.calls) == (0, (2,))
        assert "call 2 had 5" in found.why
