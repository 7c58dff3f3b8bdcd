"""Which reasons a record's body holds."""

from __future__ import annotations

from compilescope.logs.guards import parse_reason, split_reasons

STACK = '- User stack trace:\n-   File "a.py", line 4, in f\n-     return x * n'


def test_an_entry_starts_with_its_id_and_keeps_its_stack():
    head = "triggered by the following guard failure(s):"
    body = f"{head}\n- 0/1: n == 3\n{STACK}\n- 0/0: n == 2\n{STACK}"
    failures = [parse_reason(reason) for reason in split_reasons(body)]
    assert [failure.entry for failure in failures] == ["0/1", "0/0"]
    assert [failure.required for failure in failures] == ["3", "2"]
    assert all(len(failure.stack) == 1 for failure in failures)


def test_without_ids_every_dash_starts_a_reason():
    body = (
        "    - L['n'] == 2   # c  # a.py:4 in f\n"
        "    - tensor 'L['x']' rank mismatch. expected 1, actual 2"
    )
    assert [parse_reason(reason).kind for reason in split_reasons(body)] == [
        "const.int",
        "tensor.rank",
    ]


def test_verbose_groups_have_headings():
    body = "guard 0 failures:\n- 16/7: n == 1\n\nguard 1 failures:\n- 16/2: n == 2"
    assert [parse_reason(reason).entry for reason in split_reasons(body)] == ["16/7", "16/2"]


def test_joined_reasons_are_split_outside_strings_and_source_lines():
    body = (
        "- 0/0: s == 'a; b'  # y = 1; z = 2  # a.py:4 in f; "
        "11 <= x.size()[0]  # if q:  # a.py:5 in f (v.py:2 in e)"
    )
    failures = [parse_reason(reason) for reason in split_reasons(body)]
    assert [failure.kind for failure in failures] == ["const.str", "shape.range"]
    assert [failure.entry for failure in failures] == ["0/0", "0/0"]


def test_advice_with_a_semicolon_is_not_split():
    body = (
        "- 0/0: 2 <= x.size()[0]  # c  # a.py:4 in f (user code shown is first use of this value"
        "--the guard itself is not due user code but due to 0/1 specialization in the framework; "
        "to avoid specialization try torch._dynamo.decorators.mark_unbacked(tensor, dim))"
    )
    assert split_reasons(body) == [body]


def test_an_empty_reason_is_a_reason():
    assert [parse_reason(reason).kind for reason in split_reasons("- 0/0: \n- 0/1: n == 2")] == [
        "unexpected",
        "const.int",
    ]


def test_nothing_gives_nothing():
    assert split_reasons("") == []
    assert split_reasons("    triggered by the following guard failure(s):\n") == []
