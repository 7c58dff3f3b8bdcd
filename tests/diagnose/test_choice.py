"""Which graph is told as the nearest; the guards' texts are from torch 2.13."""

from __future__ import annotations

from compilescope.diagnose import diagnose
from compilescope.logs.guards import parse_reason
from compilescope.model import Compiled, Frame, Recompiled, Session

F = Frame("/home/me/x.py", 3, "f")


def check(source: str, size: str, stride: str = "") -> str:
    strides = stride or ", ".join("1" for _ in size.split(","))
    return (
        f"TENSOR_MATCH: check_tensor(L['{source}'], Tensor, DispatchKeySet(CPU, BackendSelect), "
        f"torch.float32, device=None, requires_grad=False, size=[{size}], stride=[{strides}])"
    )


def compiled(number: int, *guards: str) -> Compiled:
    return Compiled(0, f"0/{number}", F, guards=guards)


def cause(*events: object):
    """The only cause of a session whose last compile is the recompile."""
    return diagnose(Session(events=tuple(events))).causes[0]


def recompiled(number: int, *reasons: tuple[int, str]) -> Recompiled:
    failures = (parse_reason(f"0/{entry}: {text}") for entry, text in reasons)
    return Recompiled(0, f"0/{number}", F, reasons=tuple(failures))


def test_one_size_in_many_tensors_is_one_thing():
    # A beam search: the caches are None at first, then all of one size.
    none = ("CONSTANT_MATCH: L['a'] is None", "CONSTANT_MATCH: L['b'] is None")
    short = (check("a", "4, 1"), check("b", "4, 1"))
    longer = (check("a", "4, 2"), check("b", "4, 2"))
    size = "tensor 'a' size mismatch at index 1. expected 1, actual 2"
    found = cause(
        compiled(0, *none),
        compiled(1, *short),
        recompiled(2, (1, size), (0, "a is None")),
        compiled(2, *longer),
    )
    assert (found.kind, found.source, found.dimension) == ("tensor.size", "a", 1)


def test_strides_that_follow_a_size_do_not_count():
    grown = "LAMBDA_GUARD: L['x'].stride()[0] == 96*L['x'].size()[1]"
    mode = "EQUALS_MATCH: L['self']._modules['bn'].training == {}"
    train = (check("x", "None, 48", "None, 1"), mode.format(True))
    evaluation = (check("x", "32, None", "None, 1"), grown, mode.format(False))
    now = (check("x", "48, 64", "64, 1"), mode.format(False))
    found = cause(
        compiled(0, *evaluation),
        compiled(1, *train),
        recompiled(
            2,
            (1, "GLOBAL_STATE changed: grad_mode "),
            (0, "tensor 'x' size mismatch at index 0. expected 32, actual 48"),
        ),
        compiled(2, *now),
    )
    assert (found.kind, found.dimension) == ("tensor.size", 0)


def test_a_graph_that_returned_early_gives_way_to_the_one_of_the_calls_path():
    greedy = "EQUALS_MATCH: L['config'].greedy == {}"
    penalty = "EQUALS_MATCH: L['config'].penalty == {}"
    found = cause(
        compiled(0, greedy.format(False), penalty.format(1.0)),
        compiled(1, greedy.format(True)),
        recompiled(2, (1, "config.greedy == True"), (0, "config.penalty == 1.0")),
        compiled(2, greedy.format(False), penalty.format(1.2)),
    )
    assert (found.source, found.why.partition(";")[0]) == (
        "config.penalty",
        "`config.penalty` was `1.0` when this graph was compiled",
    )


def test_a_newer_graph_that_left_the_number_open_does_not_give_way():
    odd = "LAMBDA_GUARD: (L['step'] % 2) != 0"
    found = cause(
        compiled(0, "EQUALS_MATCH: L['step'] == 0"),
        compiled(1, odd),
        recompiled(2, (1, "(step % 2) != 0"), (0, "step == 0")),
        compiled(2, "LAMBDA_GUARD: (L['step'] % 2) == 0"),
    )
    assert "(step % 2) != 0" in found.why


def test_a_graph_for_size_one_alone_is_not_told_where_another_serves_from_two_up():
    both = "2 <= x.size()[0]"
    found = cause(
        compiled(0, check("x", "None, 3"), check("mask", "None"), f"LAMBDA_GUARD: {both}"),
        compiled(1, check("x", "1, 3"), check("mask", "1")),
        recompiled(
            2, (1, "tensor 'mask' size mismatch at index 0. expected 1, actual 0"), (0, both)
        ),
        compiled(2, check("x", "0, 3"), check("mask", "0")),
    )
    assert found.kind == "shape.zero_one"


def open_size(*relations: str) -> tuple[str, ...]:
    return check("x", "None, 4"), *(f"LAMBDA_GUARD: {text}" for text in relations)


def test_a_stride_that_fails_first_does_not_hide_that_the_open_size_was_zero():
    # A batch without edges: PyTorch prints the relation of the strides.
    stride = "x.stride()[0] == x.size()[0]"
    found = cause(
        compiled(0, check("x", "30, 4")),
        compiled(1, *open_size("L['x'].stride()[0] == L['x'].size()[0]", "2 <= L['x'].size()[0]")),
        recompiled(
            2, (1, stride), (0, "tensor 'x' size mismatch at index 0. expected 30, actual 0")
        ),
        compiled(2, check("x", "0, 4")),
    )
    assert (found.kind, found.source, found.dimension) == ("shape.zero_one", "x", 0)
    assert "was 0 in a later call" in found.why


def test_a_size_of_one_is_no_other_side_of_a_limit():
    low, high = "2 <= x.size()[0] <= 16", "17 <= x.size()[0] <= 64"
    found = diagnose(
        Session(
            events=(
                compiled(0, *open_size("2 <= L['x'].size()[0] <= 16")),
                recompiled(1, (0, low)),
                compiled(1, *open_size("17 <= L['x'].size()[0] <= 64"), check("y", "20, 1")),
                recompiled(2, (1, high), (0, low)),
                compiled(2, check("x", "1, 4")),
            )
        )
    ).causes
    assert sorted(one.kind for one in found) == ["shape.range", "shape.zero_one"]
