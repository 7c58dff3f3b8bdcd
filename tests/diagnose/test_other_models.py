"""Compiled callables that share the code of a function: what is told of each one's first call."""

from __future__ import annotations

from compilescope.diagnose import diagnose
from compilescope.logs.guards import parse_reason
from compilescope.model import Callable, Called, Compiled, Frame, Recompiled, Session

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
