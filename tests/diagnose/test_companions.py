"""What hides behind the first failing guard is named."""

from __future__ import annotations

from compilescope.diagnose.companions import companions, same
from compilescope.logs.guards import parse_reason

BOTH = "; fix both, as either one recompiles"


def size(source: str, index: int = 0):
    return parse_reason(f"tensor '{source}' size mismatch at index {index}. expected 8, actual 5")


def test_a_second_counter_is_named_once_with_its_values():
    cause = parse_reason("self.cursor == 0")
    others = [[parse_reason("self.filled == 0")], [parse_reason("self.filled == 8")]]
    assert companions(cause, others) == (f"`self.filled` changed at the same calls (0, 8){BOTH}",)


def test_the_cause_itself_is_no_companion_and_another_layout_is():
    stride = parse_reason("tensor 'x' stride mismatch at index 0. expected 8, actual 5")
    assert companions(size("x"), [[size("x")]]) == ()
    assert "stride 0 of `x` changed" in companions(size("x"), [[stride]])[0]


def test_the_strides_of_one_tensor_are_one_thing():
    def stride(source: str, index: int):
        text = f"tensor '{source}' stride mismatch at index {index}. expected 8, actual 5"
        return parse_reason(text)

    assert companions(stride("x", 0), [[stride("x", 1), stride("x", 2)]]) == ()
    sparse = parse_reason(
        "tensor 'x' dispatch key set mismatch. expected DispatchKeySet(CPU), actual "
        "DispatchKeySet(SparseCPU)"
    )
    assert companions(sparse, [[stride("x", 0)]]) == ()
    assert "stride 1 of `y`" in companions(stride("x", 0), [[stride("y", 1)]])[0]


def test_another_size_of_the_same_tensor_is_one():
    assert companions(size("x"), [[size("x", 1)]]) == (
        f"size 1 of `x` changed at the same calls (8, 5){BOTH}",
    )


def test_relations_are_not_companions():
    relation = parse_reason("y.size()[0] == 2*x.size()[0]")
    assert companions(size("x"), [[relation]]) == ()


def test_relations_are_the_same_by_their_text():
    one = parse_reason("2 <= x.size()[0]")
    assert same(one, parse_reason("2 <= x.size()[0]  # code  # f.py:3 in f"))
    assert not same(one, parse_reason("2 <= y.size()[0]"))


def test_a_condition_over_other_values_is_a_consequence():
    other = parse_reason("x.size()[1] >= n  # y = f(x, n)  # m.py:4 in f")
    condition = parse_reason("n >= 3  # if n > 2:  # m.py:5 in f")
    assert companions(size("x"), [[other, condition]]) == ()


def test_parameters_that_were_all_frozen_are_one_thing():
    text = "0/0: tensor 'self._modules['{}']._parameters['{}']' requires_grad mismatch."
    found = [
        parse_reason(f"{text.format(layer, name)} expected requires_grad=0")
        for layer in ("head", "body")
        for name in ("bias", "weight")
    ]
    cause = parse_reason("0/0: tensor 'x' size mismatch at index 0. expected 8, actual 5")
    (said,) = companions(cause, [found])
    assert said.startswith("requires_grad of `self.head.bias` and 3 other tensors changed")
