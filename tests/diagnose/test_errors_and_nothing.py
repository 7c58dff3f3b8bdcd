"""Errors are explained, runs without a graph say why, a limit alone still names its cause."""

from __future__ import annotations

from compilescope.diagnose import diagnose
from compilescope.diagnose.errors import tell
from compilescope.logs.guards import parse_reason
from compilescope.model import (
    Callable,
    Called,
    Compiled,
    Environment,
    Errored,
    FellBack,
    Frame,
    GraphBreakKind,
    GraphBroke,
    Process,
    Session,
)

F = Frame("/home/u/m.py", 3, "f")
LINE = Frame("/home/u/m.py", 4, "f", "if x.sum() > 0:")
UNSUPPORTED = """Data-dependent branching
  Explanation: Detected data-dependent branching.
  Hint: Use `torch.cond`.

  Developer debug context: attempted to jump with TensorVariable()

 For more details about this graph break, please visit: https://meta-pytorch.github.io/gb/gb0170.html
"""
MARKED = """Constraints violated (L['x'].size()[1])! For more information, run with TORCH_LOGS=a
  - You marked L['x'].size()[1] as dynamic but your code specialized it to be a constant (5). If
"""


def raised(kind: str, text: str, frame: Frame | None = LINE) -> str:
    return tell(Errored(0, text, kind, frame=frame), (2, 13))


def test_a_break_under_fullgraph_gets_the_advice_of_the_break():
    text = raised("torch._dynamo.exc.Unsupported", UNSUPPORTED)
    assert text.startswith("/home/u/m.py:4: Unsupported: Data-dependent branching\n")
    assert "(GB0170)" in text
    assert "fix: Compute both results and select" in text
    assert "TensorVariable" not in text


def test_a_mark_that_inductor_contradicts():
    event = Errored(0, MARKED, "ConstraintViolationError", frame=LINE)
    text = tell(event, (2, 11), {"L['x'].size()[1]"})
    assert "your code leaves it so, but inductor fixed it to 5" in text
    assert "shape_padding = False" in text
    assert "maybe_mark_dynamic" not in text


def test_a_mark_that_the_code_contradicts():
    text = raised("ConstraintViolationError", MARKED)
    assert "`x.shape[1]` was marked dynamic, but the code fixes it to 5" in text
    assert "maybe_mark_dynamic" in text
    assert "TORCH_LOGS" not in text


def test_what_has_no_words_of_ours_is_shortened_and_kept():
    text = raised("RuntimeError", "boo\nmore\n  Developer debug context: x\n  y", None)
    assert text == "RuntimeError: boo\nmore"


def test_what_was_around_the_first_call_is_the_reason():
    told = Environment(torch="2.13.0", config={"modes": '["_FlopCounterMode"]'})
    assert "`FlopCounterMode` was active" in nothing(environment=told)
    told = Environment(torch="2.13.0", config={"dynamo.stance": '"force_eager"'})
    assert "the stance was `force_eager`" in nothing(environment=told)


def test_a_program_without_torch():
    assert "torch was never imported" in nothing(processes=(Process(1),))


def nothing(*events: object, **fields: object) -> str:
    return diagnose(Session(events=events, **fields)).verdict  # type: ignore[arg-type]


def test_nothing_was_compiled_says_why():
    assert "`f` did no work on tensors" in nothing(Compiled(0, "0/0", F, outcome="empty"))
    broke = GraphBroke(0, "0/0", "x", LINE, whole_frame=True)
    skipped = Compiled(0, "0/0", F, outcome="skipped")
    assert "left `f` to Python" in nothing(skipped)
    assert diagnose(Session(events=(skipped, broke))).status == "breaks"
    assert "the only attempt" in nothing(Compiled(0, "0/0", F, outcome="failed"))
    off = Environment(variables={"TORCH_COMPILE_DISABLE": "1"})
    called = Called(0, 0, 0, 0.0, 0.1)
    assert "TORCH_COMPILE_DISABLE=1" in nothing(called, environment=off)
    assert "the only call of compiled functions ran eagerly" in nothing(called)
    assert "never called" in nothing(callables=(Callable(0, "f"),))


def test_a_limit_without_recompiles_in_the_log_names_its_cause():
    reason = parse_reason("tensor 'x' size mismatch at index 0. expected 8, actual 9")
    found = diagnose(Session(events=(FellBack(0, F, limit=8, reasons=(reason,)),)))
    assert [cause.kind for cause in found.causes] == ["tensor.size"]
    assert found.verdict.endswith("runs new inputs eagerly.")


def broken(**fields: object) -> str:
    event = GraphBroke(0, "0/0", "Something new", LINE, **fields)  # type: ignore[arg-type]
    known = (GraphBreakKind("GB9999", "Something new", "The line uses a frob."),)
    session = Session(events=(event,), graph_break_kinds=known)
    return diagnose(session).graph_breaks[0].why


def test_a_kind_without_our_words_is_told_in_those_of_the_installed_torch():
    assert broken(gb_id="GB9999").startswith("The line uses a frob. ")
    assert "VariableTracker" not in broken(explanation="This VariableTracker has no python_type")


def test_a_chained_break_names_both():
    reason = (
        "Failed to handle graph break gracefully. Skipping the function and falling back to "
        "eager. Graph break encountered:\n\nSomething new\n  Explanation: a\n\n"
        "*** While handling this graph break, another graph break occurred: ***\n\n"
        "graph break in loop\n  Explanation: b\n\n"
        " For more details about this graph break, please visit: https://x/gb/gb7000.html"
    )
    why = broken(reason=reason, cause="Something new", whole_frame=True)
    assert "inside a loop (GB7000)" in why
    assert "Nothing of `f` is compiled" in why
