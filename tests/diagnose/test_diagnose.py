"""From session to diagnosis: grouping, ranking, seconds, verdicts."""

from __future__ import annotations

import pytest

from compilescope.diagnose import diagnose
from compilescope.diagnose.functions import continues_at, written
from compilescope.model import (
    Callable,
    Called,
    Compiled,
    Environment,
    FellBack,
    Frame,
    GraphBroke,
    GuardFailure,
    Process,
    Recompiled,
    Session,
    Warned,
)

F = Frame("/home/u/train.py", 10, "f")
LINE = Frame("/home/u/train.py", 12, "f")


def size(entry: str = "0/0", source: str = "x", required: str = "3", observed: str = "4"):
    raw = f"tensor '{source}' size mismatch at index 0. expected {required}, actual {observed}"
    return GuardFailure(
        kind="tensor.size",
        raw=raw,
        source=source,
        dimension=0,
        required=required,
        observed=observed,
        entry=entry,
        frame=LINE,
    )


def zero_one(entry: str, source: str = "x"):
    return GuardFailure(
        kind="shape.zero_one",
        raw=f"2 <= {source}.size()[0]",
        source=source,
        dimension=0,
        required=">= 2",
        entry=entry,
        frame=LINE,
    )


def compiled(compile_id: str, seconds: float = 1.0, frame: Frame = F, **fields: object):
    return Compiled(
        process=0,
        compile_id=compile_id,
        frame=frame,
        seconds=seconds,
        recompile=not compile_id.endswith("/0"),
        **fields,  # type: ignore[arg-type]
    )


def call(index: int, seconds: float, *compiles: str, eager: bool = False):
    return Called(
        process=0,
        callable=0,
        index=index,
        at=index,
        seconds=seconds,
        compiles=compiles,
        eager=eager,
    )


def session(*events: object, **fields: object) -> Session:
    fields = {
        "environment": Environment(torch="2.13.0+cpu"),
        "processes": (Process(pid=1),),
        "callables": (Callable(process=0, name="f", frame=F),),
        "how": "exited",
        "code": 0,
    } | fields
    return Session(events=events, **fields)  # type: ignore[arg-type]


def test_a_recompile_is_charged_what_the_call_cost_beyond_a_steady_one():
    events = [compiled("0/0", 2.0), call(0, 2.1, "0/0")]
    events += [call(i, 0.1) for i in range(1, 5)]
    events += [
        Recompiled(0, "0/1", F, reasons=(size(),)),
        compiled("0/1", 3.0),
        call(5, 3.1, "0/1"),
    ]
    found = diagnose(session(*events))
    assert [(item.call, round(item.seconds_lost, 6)) for item in found.recompiles] == [(5, 3.0)]
    assert found.causes[0].calls == (5,)
    assert found.causes[0].values == ("3", "4")
    assert found.seconds.lost == pytest.approx(3.0)
    assert found.seconds.compiling == pytest.approx(5.0)
    assert found.calls[0].steady == pytest.approx(0.1)


def test_several_rejections_are_one_recompile_and_the_nearest_graph_names_the_cause():
    reasons = (size("0/0", observed="1"), zero_one("0/1"))
    found = diagnose(
        session(compiled("0/0"), compiled("0/1"), Recompiled(0, "0/2", F, reasons=reasons))
    )
    assert found.counts.recompiles == 1
    assert [cause.kind for cause in found.causes] == ["shape.zero_one"]
    assert found.recompiles[0].nearest == "0/1"
    assert len(found.recompiles[0].reasons) == 2


def test_causes_are_ranked_by_seconds_not_by_count():
    events = [compiled("0/0"), call(0, 1.0, "0/0"), *(call(i, 0.0) for i in range(1, 9))]
    for number in (1, 2, 3):
        events += [
            Recompiled(0, f"0/{number}", F, reasons=(size(observed=str(number + 3)),)),
            compiled(f"0/{number}", 0.5),
            call(8 + number, 0.5, f"0/{number}"),
        ]
    events += [
        Recompiled(0, "0/4", F, reasons=(zero_one("0/3"),)),
        compiled("0/4", 9.0),
        call(12, 9.0, "0/4"),
    ]
    found = diagnose(session(*events))
    assert [(cause.kind, cause.times) for cause in found.causes] == [
        ("shape.zero_one", 1),
        ("tensor.size", 3),
    ]
    assert found.causes[1].calls == (9, 10, 11)


def test_two_lines_are_two_causes_and_a_moved_line_keeps_its_id():
    def one(line: int) -> Session:
        reason = size()
        moved = GuardFailure(
            **{f: getattr(reason, f) for f in reason.__struct_fields__}
            | {"frame": Frame(LINE.path, line, "f")}
        )
        return session(compiled("0/0"), Recompiled(0, "0/1", F, reasons=(moved,)))

    assert diagnose(one(12)).causes[0].id == diagnose(one(99)).causes[0].id
    both = session(compiled("0/0"), *one(12).events[1:], *one(99).events[1:])
    assert len(diagnose(both).causes) == 2


def test_per_instance_compiles_are_not_recompiles():
    found = diagnose(session(compiled("0/0"), compiled("0/1")))
    assert (found.counts.compiles, found.counts.recompiles) == (2, 0)


def test_compiles_are_counted_by_identity():
    found = diagnose(session(compiled("0/0"), compiled("0/0"), compiled("0/0", backward=True)))
    assert found.counts.compiles == 1


def test_a_function_that_reached_its_limit_is_the_headline():
    events = [compiled("0/0"), call(0, 1.0, "0/0"), call(1, 0.01)]
    events += [FellBack(0, F, compile_id="0/8", limit=8, reasons=(size(),))]
    events += [Recompiled(0, "0/8", F, reasons=(size("0/7"),), refused=True)]
    events += [call(i, 0.5, eager=True) for i in range(2, 6)]
    found = diagnose(session(*events))
    assert found.status == "fallback"
    assert found.verdict.startswith("`f` reached the recompile limit (8)")
    assert "since call 2" in found.verdict
    assert found.fallbacks[0].calls_eager == 4
    assert found.fallbacks[0].causes == (found.causes[0].id,)
    assert [item.status for item in found.functions] == ["eager"]


def test_breaks_are_one_entry_a_kind_and_line():
    first = GraphBroke(0, "0/0", "Data-dependent branching", LINE, gb_id="GB0170")
    again = GraphBroke(0, "0/1", "Data-dependent branching", LINE, gb_id="GB0170", duplicate=True)
    other = GraphBroke(0, "0/0", "Data-dependent branching", F, gb_id="GB0170", whole_frame=True)
    found = diagnose(session(compiled("0/0"), compiled("0/1"), first, again, other))
    assert sorted(
        (item.frame.line, item.times, item.whole_frame) for item in found.graph_breaks
    ) == [(10, 1, True), (12, 2, False)]
    assert found.counts.graph_breaks == 2


def test_continuations_belong_to_the_function_they_continue():
    resume = Frame(F.path, 13, "torch_dynamo_resume_in_f_at_12")
    nested = Frame(F.path, 14, "torch_dynamo_resume_in_torch_dynamo_resume_in_f_at_12_at_14")
    assert written(resume).function == written(nested).function == "f"
    assert continues_at(resume) == 12
    assert continues_at(F) is None
    found = diagnose(
        session(compiled("0/0"), compiled("1/0", frame=resume), compiled("2/0", frame=nested))
    )
    assert [(item.frame, item.compiles) for item in found.functions] == [(F, 3)]


@pytest.mark.parametrize(
    ("events", "how", "state"),
    [
        ((), "exited", "nothing"),
        ((call(0, 0.1),), "exited", "nothing"),
        ((compiled("0/0"),), "exited", "clean"),
        ((compiled("0/0", outcome="failed"),), "failed", "failed"),
        ((compiled("0/0", outcome="skipped"),), "exited", "nothing"),
    ],
)
def test_a_run_without_trouble_says_what_it_was(events: tuple[object, ...], how: str, state: str):
    found = diagnose(session(*events, how=how))
    assert found.status == state
    assert found.verdict.endswith(".")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"how": "exited", "code": 0}, "exited with code 0"),
        (
            {"how": "killed", "code": 137, "processes": (Process(pid=1, signal="SIGKILL"),)},
            "killed by SIGKILL",
        ),
        (
            {"how": "failed", "code": 1, "processes": (Process(pid=1, error="ValueError: no"),)},
            "failed with exit code 1: ValueError: no",
        ),
        ({"how": "interrupted", "code": 130}, "interrupted"),
        ({"how": "unfinished"}, "still running, or its end was not recorded"),
    ],
)
def test_how_it_ended(fields: dict[str, object], words: str):
    assert diagnose(session(**fields)).ended == words


def test_an_unknown_reason_is_counted_and_kept():
    reason = GuardFailure(kind="unknown", raw="the moon was full", entry="0/0")
    found = diagnose(session(compiled("0/0"), Recompiled(0, "0/1", F, reasons=(reason,))))
    assert found.counts.unknown == 1
    assert found.causes[0].kind == "unknown"
    assert found.recompiles[0].reasons[0].raw == "the moon was full"


def test_methods_of_one_name_in_one_file_have_causes_of_their_own():
    events = []
    for frame_id, line in ((0, 10), (1, 50)):
        frame = Frame(F.path, line, "forward")
        reason = GuardFailure("tensor.size", "", source="x", dimension=0, entry=f"{frame_id}/0")
        events += [
            compiled(f"{frame_id}/0", frame=frame),
            Recompiled(0, f"{frame_id}/1", frame, reasons=(reason,)),
            compiled(f"{frame_id}/1", frame=frame),
        ]
    found = diagnose(session(*events))
    ids = {cause.frame.line: cause.id for cause in found.causes}
    assert ids[50] == f"{ids[10]}-2"
    assert [item.cause for item in found.recompiles] == [ids[10], ids[50]]


def test_a_constant_that_changes_only_its_type_is_said_to():
    old = compiled("0/0", guards=("EQUALS_MATCH: L['a'] == 2",))
    new = compiled("0/1", guards=("EQUALS_MATCH: L['a'] == 2.0",))
    reason = GuardFailure("const.int", "a == 2", source="a", required="2", entry="0/0")
    found = diagnose(session(old, Recompiled(0, "0/1", F, reasons=(reason,)), new))
    assert [(cause.kind, cause.values) for cause in found.causes] == [("type.scalar", ("2", "2.0"))]


def test_notices_that_mean_the_same_are_told_once():
    texts = ("possibly bad tiling: [1, 2]", "possibly bad tiling: [3, 4]")
    found = diagnose(session(*(Warned(0, "perf_hint", text, times=2) for text in texts)))
    assert [(notice.times, bool(notice.why)) for notice in found.notices] == [(4, True)]
