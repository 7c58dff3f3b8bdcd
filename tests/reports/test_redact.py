from __future__ import annotations

from compilescope.reports.redact import Redactor

from compilescope.diagnose import diagnose
from compilescope.model import (
    Compiled,
    Errored,
    Finding,
    Frame,
    GraphBroke,
    GuardFailure,
    Process,
    Recompiled,
    Session,
    Warned,
)
from compilescope.store import encode

OWN = Frame("/home/ada/secret/model.py", 7, "forward", "y = hidden_recipe(x) * 3")
OTHER = Frame("/home/ada/secret/train.py", 2, "main", "model(batch_of_patients)")
LIBRARY = Frame("/home/ada/env/lib/python3.12/site-packages/inhouse/core.py", 4, "run")
TORCH = Frame("/home/ada/env/lib/python3.12/site-packages/torch/nn/modules/linear.py", 9, "forward")


def redacted(*events, **fields):
    session = Session(events=events, **fields)
    return Redactor(session).redact(session)


def text(session):
    return encode(session).decode()


def test_same_file_has_the_same_name_everywhere():
    session = redacted(
        Compiled(0, "0/0", OWN, stack=(OTHER, OWN)),
        Compiled(0, "1/0", OTHER),
        sources={OWN.path: {7: OWN.code}},
    )
    first, second = session.events
    assert first.frame.path == first.stack[1].path != first.stack[0].path == second.frame.path
    assert (first.frame.line, first.frame.function, first.frame.code) == (7, "forward", "")
    assert session.sources == {}
    assert "ada" not in text(session)


def test_both_of_two_structs_get_the_same_names():
    session = Session(events=(Compiled(0, "0/0", OTHER), Compiled(0, "1/0", OWN)))
    found = diagnose(session)
    redactor = Redactor(found, session)
    names = {event.frame.path for event in redactor.redact(session).events}
    assert {item.frame.path for item in redactor.redact(found).compiles} == names


def test_torchs_own_places_stay_and_other_packages_are_only_known_as_packages():
    session = redacted(Compiled(0, "0/0", LIBRARY), Compiled(0, "1/0", TORCH))
    library, torch = (event.frame.path for event in session.events)
    assert library.startswith("site-packages/file")
    assert torch == "site-packages/torch/nn/modules/linear.py"


def test_guards_lose_the_comment_with_source_and_place():
    raw = "L['x'].size()[0] == 4  # y = hidden_recipe(x) * 3  # secret/model.py:7 in forward"
    failure = GuardFailure("tensor.size", raw, source="x", frame=OWN)
    session = redacted(Recompiled(0, "0/1", OWN, reasons=(failure,)))
    assert session.events[0].reasons[0].raw == "L['x'].size()[0] == 4"


def test_free_text_loses_paths_file_names_and_lines_of_source():
    traceback = (
        'Traceback:\n  File "/home/ada/secret/model.py", line 7, in forward\n'
        "    y = hidden_recipe(x) * 3\n        ~~~~^^\nValueError: no"
    )
    session = redacted(
        Errored(0, traceback, frame=OWN),
        GraphBroke(0, "0/0", "kind", OWN, reason="at y = hidden_recipe(x) * 3 in model.py:7"),
        Warned(0, "skip", "see /home/ada/other/notes.txt and C:\\Users\\ada\\x.txt, ~/plans/b.md"),
        Compiled(0, "0/0", OTHER, failure="model(batch_of_patients) failed"),
        processes=(Process(1, command=("python", "/home/ada/secret/train.py", "--key=s3cret")),),
        command=("python", "train.py", "--key=s3cret"),
        name="train.py",
        findings=(Finding("/home/ada/secret/model.py", 7, 1, 7, 9, "CS101", "print", "`print`"),),
    )
    for secret in ("ada", "secret", "hidden_recipe", "patients", "model.py", "train.py", "plans"):
        assert secret not in text(session), secret
    assert "s3cret" not in text(session)
    assert "ValueError: no" in session.events[0].text
    assert session.findings[0].code == "CS101"


def test_names_shapes_and_numbers_stay():
    failure = GuardFailure("tensor.size", "x", source="model.x", required="4", observed="6 / 2")
    session = redacted(Recompiled(0, "0/1", OWN, at=1.5, reasons=(failure,)))
    assert session.events[0].reasons[0] == failure
    assert session.events[0].at == 1.5
