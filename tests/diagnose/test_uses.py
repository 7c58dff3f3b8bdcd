"""A remedy is offered only where the user's line can take it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from compilescope.diagnose.evidence import Evidence
from compilescope.diagnose.explain import why
from compilescope.diagnose.explain_words import Words
from compilescope.diagnose.remedies import remedies
from compilescope.diagnose.uses import Use, use
from compilescope.logs.guards import parse_reason
from compilescope.model import Frame, GuardFailure


def failed(text: str, line: str, observed: str = "") -> GuardFailure:
    found = parse_reason(f"0/0: {text}")
    return replace(found, frame=Frame("/home/me/m.py", 17, "forward", line), observed=observed)


def evidence(failure: GuardFailure, **more: object) -> Evidence:
    values = tuple(value for value in (failure.required, failure.observed) if value)
    fields = {"values": values, "torch": (2, 13), **more}
    return Evidence(failure, (failure,), function=Frame("/home/me/m.py", 16, "forward"), **fields)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("for i in range(self.depth):", Use.LOOP),
        ("if self.depth > 2:", Use.BRANCH),
        ("elif self.depth:", Use.BRANCH),
        ("y = torch.roll(x, -self.depth, 1) if self.depth else x", Use.BRANCH),
        ("x = x + self.rows[self.depth]", Use.INDEX),
        ("p.add_(v, alpha=-self.depth)", Use.NUMBER),
        ("return x.softmax(dim=self.depth)", Use.CONSTANT),
        ("y = F.max_pool1d(x, kernel_size=self.depth)", Use.CONSTANT),
        ("y = self.block(x, dim=self.depth)", Use.VALUE),
        ("y = block(x, dim=self.depth)", Use.VALUE),
        ("x = x * self.depth", Use.VALUE),
        ("y = f(x, self.depth,", Use.VALUE),
        ("", Use.VALUE),
    ],
)
def test_the_line_tells_what_it_needs_the_number_for(line: str, expected: Use):
    words = Words(evidence(failed("self.depth == 8", line)))
    assert use(words) is expected


def test_a_count_of_rounds_is_not_to_become_a_tensor():
    # torch 2.13: range() of a tensor breaks the graph, and of a symbolic int fixes its value.
    found = remedies(evidence(failed("self.depth == 8", "for i in range(self.depth):", "7")))
    assert [item.id for item in found] == ["compile_body", "warm_up"]


def test_a_number_that_is_read_from_a_tensor_is_in_one_already():
    # torch 2.13: of a buffer that a convolution takes for its dilation.
    text = "self._buffers['dilation'].item() == 1"
    found = remedies(evidence(failed(text, "F.conv1d(x, w, dilation=self.dilation)", "2")))
    assert [item.id for item in found] == ["dynamic_true"]


def test_an_argument_that_takes_numbers_only_gets_the_number():
    line = "p.add_(v, alpha=-self.schedule.lr)"
    found = remedies(evidence(failed("self.schedule.lr == 0.1", line, "0.09")))
    assert [item.id for item in found] == ["pass_as_tensor"]
    assert "`alpha=`, which takes a Python number only" in found[0].text
    assert found[0].snippet == ""
    symbolic = remedies(evidence(failed("self.schedule.lr == 0.1", line, "0.09"), constant=False))
    assert [item.id for item in symbolic] == ["dynamic_true", "pass_as_tensor"]


@pytest.mark.parametrize(
    ("observed", "expected"),
    [
        ("'support'", ["warm_up"]),
        ("tuple", ["warm_up"]),
        ("0.5", ["always_pass", "warm_up"]),
        ("a tensor", ["always_pass", "warm_up"]),
    ],
)
def test_what_is_to_be_passed_instead_of_none_is_of_the_kind_that_came(
    observed: str, expected: list[str]
):
    found = remedies(evidence(failed("x is None", "if x is not None:", observed)))
    assert [item.id for item in found] == expected
    assert ("tensor" in found[0].text) is (observed == "a tensor")


def test_a_number_that_became_symbolic_is_not_said_to_have_stayed_a_constant():
    failure = failed("sigma == 1.0", "h = x / (1 + sigma)", "0.75")
    values = ("1.0", "0.75", "0.5")
    assert "stayed a constant" in why(evidence(failure, values=values, constant=True))
    assert "stayed a constant" not in why(evidence(failure, values=values, constant=False))


def test_size_one_below_a_bounded_range_is_told_as_such():
    text = "2 <= ids.size()[1] <= 4096"
    failure = failed(text, "b, t = ids.shape", "1")
    assert "compiles sizes 0 and 1 separately" in why(evidence(failure))
    assert remedies(evidence(failure))[0].id == "mark_unbacked"
    other = evidence(failed(text, "if t <= 4096:", "5000"))
    assert "This graph serves `ids.shape[1]` from 2 to 4096" in why(other)


def test_a_float_that_an_operator_looks_at_is_a_tensor_first():
    # Tried by `tune` with torch 2.13: the tensor takes the recompile away.
    line = "torch._foreach_lerp_(shadow, params, 1 - decay)"
    found = remedies(evidence(failed("1.0 + (-decay) >= 0.5", line)))
    assert found[0].snippet == "decay = torch.tensor(decay)"
    branch = remedies(evidence(failed("1.0 + (-decay) >= 0.5", "if 1 - decay >= 0.5:")))
    assert [item.id for item in branch] == ["split_functions", "warm_up"]


@pytest.mark.parametrize(
    ("line", "argument"),
    [
        ("x = F.dropout(x, self.rate, self.training)", "p"),
        ("loss = F.huber_loss(y, t, delta=self.rate)", "delta"),
        ("loss = F.cross_entropy(y, t, label_smoothing=self.rate)", "label_smoothing"),
    ],
)
def test_a_number_that_stays_one_is_warmed_up(line: str, argument: str):
    # torch 2.13: each value is compiled, with `dynamic=True` too, and a tensor breaks the graph.
    found = remedies(evidence(failed("self.rate == 0.1", line, "0.2"), constant=True))
    assert [item.id for item in found] == ["warm_up", "tensor_math"]
    assert f"`{argument}=`, which takes a Python number only" in found[0].text


def test_a_float_that_the_new_graph_holds_again_is_not_to_be_symbolic():
    found = remedies(evidence(failed("rate == 0.1", "loss = criterion(", "0.2"), constant=True))
    assert [item.id for item in found] == ["warm_up", "pass_as_tensor"]
    still = remedies(
        evidence(failed("rate == 0.1", "y = x * rate", "0.2"), constant=True,
                 options={"dynamic": "False"})
    )  # fmt: skip
    assert "dynamic_true" in [item.id for item in still]


def test_at_the_limit_warming_up_is_no_first_fix():
    # Every graph that is made at start-up counts towards the limit, which is reached.
    text = "self.rate == 0.1"
    full = evidence(failed(text, "x = F.dropout(x, self.rate)", "0.2"), constant=True,
                    limit_reached=True)  # fmt: skip
    found = remedies(full)
    assert [item.id for item in found] == ["tensor_math", "warm_up", "recompile_limit"]
    assert found[0].text.startswith("Write that step")
    assert found[1].text.endswith("which the limit must allow")


def test_a_constant_of_another_model_is_no_change_of_its_own():
    failure = replace(
        failed("self.rate == 0.1", "x = F.dropout(x, self.rate)", "0.2"), kind="module.float_attr"
    )
    other = evidence(failure, constant=True, another="Block", calls=(0, 2))
    assert [item.id for item in remedies(other)] == ["warm_up", "isolate_recompiles"]
