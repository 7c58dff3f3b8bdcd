"""Lists of sessions, and files that are not what they should be."""

from __future__ import annotations

import gzip
import json
import os
import shutil

import msgspec
import pytest

from compilescope import store
from compilescope.errors import InputError
from compilescope.model import Finding, Frame, Gap, GraphBroke, Recompiled, Session, Warned
from compilescope.tui import sources
from compilescope.tui.screens.session import SessionScreen
from compilescope.tui.screens.sessions import SessionsScreen


@pytest.fixture
def folder(tmp_path, recorded):
    """A folder with a session of each sort, the newest written first."""
    place = tmp_path / ".compilescope"
    place.mkdir()
    for name in ("shapes", "clean", "nothing"):
        shutil.copy(recorded(name), place)
    newer = msgspec.json.decode(msgspec.json.encode(store.load(recorded("ints"))))
    (place / "newer.cscope.json").write_text(json.dumps({**newer, "version": 2}))
    whole = recorded("limit").read_bytes()
    (place / "cut.cscope.json.gz").write_bytes(whole[: len(whole) // 2])
    (place / "other.html").write_text("<html>a page of somebody else</html>")
    (place / "notes.txt").write_text("no session")
    return place


def test_a_list_names_verdicts_and_says_what_cannot_be_read(play, folder):
    async def scene(stage):
        assert isinstance(stage.screen, SessionsScreen)
        states = dict(zip(stage.column(2), stage.column(0), strict=True))
        assert states == {
            "shapes.py": "↻ recompiles",
            "clean.py": "✓ clean",
            "nothing.py": "∅ nothing compiled",
            "newer.cscope.json": "✗ unreadable",
            "cut.cscope.json.gz": "✗ unreadable",
        }
        assert any("session version 2, this release reads 1" in text for text in stage.column(3))
        assert any("cut short" in text for text in stage.column(3))
        assert "5 sessions" in stage.text("#title")

    play(scene, folder)


def test_without_arguments_the_projects_folder_is_found_from_below(play, folder, monkeypatch):
    below = folder.parent / "a" / "b"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)

    async def scene(stage):
        assert len(stage.screen.entries) == 5

    play(scene)


def test_newest_first(play, tmp_path, recorded):
    for name, created in (("a", "2026-01-01"), ("b", "2026-03-01"), ("c", "2026-02-01")):
        session = msgspec.structs.replace(
            store.load(recorded("clean")), name=name, created=f"{created}T00:00:00+00:00"
        )
        store.save(session, tmp_path / f"{name}{store.SUFFIX}")

    async def scene(stage):
        assert stage.column(2) == ["b", "c", "a"]

    play(scene, tmp_path)


def test_one_session_in_a_folder_is_opened_at_once(play, tmp_path, recorded):
    shutil.copy(recorded("clean"), tmp_path)

    async def scene(stage):
        assert isinstance(stage.screen, SessionScreen)

    play(scene, tmp_path)


def test_several_files_are_a_list_and_enter_opens_one(play, recorded):
    async def scene(stage):
        names = stage.column(2)
        await stage.press("j", "enter")
        assert isinstance(stage.screen, SessionScreen)
        assert stage.screen.at.opened.session.name == names[1]
        await stage.press("l")
        assert isinstance(stage.screen, SessionsScreen)
        assert stage.grid.cursor == 1

    play(scene, recorded("shapes"), recorded("ints"), recorded("clean"))


def test_filter_of_the_list(play, folder):
    async def scene(stage):
        await stage.press("slash")
        await stage.type("kind:clean")
        assert stage.column(2) == ["clean.py"]
        await stage.press("enter")
        assert stage.grid.has_focus
        await stage.press("escape")
        assert len(stage.grid.rows) == 5

    play(scene, folder)


def test_reload_finds_what_came_since(play, folder, recorded):
    async def scene(stage):
        shutil.copy(recorded("breaks"), folder)
        await stage.press("r")
        assert "breaks.py" in stage.column(2)
        assert len(stage.grid.rows) == 6

    play(scene, folder)


def test_an_empty_folder_says_how_to_record(play, tmp_path):
    async def scene(stage):
        shown = "\n".join(stage.lines())
        assert "No sessions here." in shown
        assert "compilescope probe" in shown
        await stage.press("j", "enter", "G")
        assert isinstance(stage.screen, SessionsScreen)

    play(scene, tmp_path)
    play(scene)


@pytest.mark.parametrize(
    ("name", "message", "hint"),
    [
        ("newer.cscope.json", "session version 2", "upgrade compilescope"),
        ("cut.cscope.json.gz", "cut short", "record the session again"),
        ("other.html", "not a session", "compilescope logs"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(play, folder, name, message, hint):
    async def scene(stage):
        shown = stage.detail.text + stage.text("#verdict")
        assert message in shown
        assert hint in shown
        await stage.press("2", "j", "n", "e", "y", "o", "s", "z", "z", "enter", "c", "8")
        await stage.press("question_mark", "escape", "l")
        assert isinstance(stage.screen, SessionsScreen)

    play(scene, folder / name)


def test_a_path_that_is_not_there_is_said_before_the_screen_is_taken(tmp_path):
    with pytest.raises(InputError, match="does not exist"):
        sources.check([tmp_path / "absent"])


def saved(tmp_path, **fields):
    path = tmp_path / f"made{store.SUFFIX}"
    store.save(Session(name="made.py", **fields), path)
    return path


def test_zero_compiles(play, recorded):
    async def scene(stage):
        assert "Nothing was compiled" in stage.text("#verdict")
        assert "Was torch.compile reached" in "\n".join(stage.lines())
        for view in "1234567890":
            await stage.press(view, "j", "n", "y", "enter", "escape")
            assert stage.screen.at.active == view

    play(scene, recorded("nothing"))


def test_an_empty_session(play, tmp_path):
    async def scene(stage):
        assert stage.screen.at.active == "1"
        await stage.press("2")
        assert "No calls were recorded" in "\n".join(stage.lines())

    play(scene, saved(tmp_path))


def test_missing_source(play, tmp_path):
    event = GraphBroke(0, "0/0", "Data-dependent branching", Frame("/gone/model.py", 88, "step"))

    async def scene(stage):
        assert "does not hold the source of this line" in stage.detail.text
        assert "/gone/model.py:88 in step" in stage.detail.text

    play(scene, saved(tmp_path, events=(event,)))


def test_what_is_missing_is_said_first(play, tmp_path, recorded):
    session = msgspec.structs.replace(
        store.load(recorded("ints")),
        how="killed",
        gaps=(Gap("records that could not be read", 3, 0.012, "the file ends inside a record"),),
    )
    store.save(session, tmp_path / f"killed{store.SUFFIX}")

    async def scene(stage):
        assert "incomplete: records that could not be read (1.2%)" in stage.text("#recovery")
        assert stage.screen.query_one("#recovery").size.height > 0
        assert stage.text("#verdict").startswith("The program was killed")
        await stage.press("6")
        assert stage.column(0) == ["incomplete"]

    play(scene, tmp_path / f"killed{store.SUFFIX}")


def test_a_failed_program(play, recorded):
    async def scene(stage):
        assert stage.column(0)[0] == "✗"
        assert "Unsupported" in stage.detail.text
        assert "failed with exit code 1" in stage.text("#verdict")

    play(scene, recorded("failed"))


def test_findings_of_lint_come_first_where_nothing_else_is(play, tmp_path):
    finding = Finding("/p/a.py", 3, 1, 3, 9, "CS101", "print", "`print()` breaks", fix="unsafe")

    async def scene(stage):
        assert stage.screen.at.active == "7"
        assert "CS101" in stage.detail.text
        assert stage.column(2) == ["?"]

    play(scene, saved(tmp_path, source="lint", findings=(finding,)))


def test_control_characters_are_shown_and_not_obeyed(play, tmp_path):
    warned = Warned(0, "perf_hint", "red \x1b[31m \u202etext", frame=Frame("/p/\x1b]0;x.py", 3))

    async def scene(stage):
        await stage.press("6")
        shown = "".join(stage.lines())
        assert "\x1b" not in shown
        assert "\u202e" not in shown
        assert "␛[31m" in shown

    play(scene, saved(tmp_path, events=(warned,)))


def test_recompiles_without_calls(play, tmp_path):
    event = Recompiled(0, "0/1", Frame("/p/a.py", 3, "step"))

    async def scene(stage):
        assert not stage.timeline.display
        await stage.press("enter")
        assert stage.screen.at.active == "5", "without calls a cause leads to its compiles"
        await stage.press("escape", "n")
        assert "no call of this callable compiled anything" in stage.notices

    play(scene, saved(tmp_path, source="logs", events=(event,)))


def test_an_unreadable_file_in_a_list_shows_its_error_when_opened(play, folder):
    async def scene(stage):
        row = stage.column(2).index("cut.cscope.json.gz")
        stage.grid.move(row)
        await stage.press("enter")
        assert "damaged" in stage.text("#verdict")

    play(scene, folder)


def test_a_page_of_a_session_that_is_there_is_not_listed_twice(tmp_path, recorded):
    shutil.copy(recorded("clean"), tmp_path)
    page = '<meta name="generator" content="compilescope 1"><p>'
    (tmp_path / "clean.html").write_text(page)
    (tmp_path / "alone.html").write_text(page)
    names = {entry.path.name for entry in sources.find([tmp_path])}
    assert names == {"clean.cscope.json.gz", "alone.html"}


def test_a_plain_gzip_with_another_name(play, tmp_path, recorded):
    path = tmp_path / "x.cscope.json"
    path.write_bytes(gzip.decompress(recorded("clean").read_bytes()))

    async def scene(stage):
        assert "clean.py" in stage.text("#title")

    play(scene, path)


def test_a_raw_record_whose_program_ended_badly_opens(play, tmp_path):
    raw = tmp_path / ".run.cscope.json.gz.abc.raw"
    (raw / "trace").mkdir(parents=True)
    (raw / "launch.json").write_text(
        json.dumps({"pid": 2**22 + 1, "name": "run.py", "command": ["python", "run.py"], "at": 1.0})
    )

    async def scene(stage):
        assert stage.screen.live is None
        assert "run.py" in stage.text("#title")
        assert "no process wrote a record" in stage.text("#recovery")

    play(scene, raw)
    assert [entry.path for entry in sources.find([tmp_path])] == [raw]
    assert not sources.is_running(raw)


def test_a_running_record_is_listed_as_that(play, tmp_path, recorded):
    raw = tmp_path / ".run.cscope.json.gz.abc.raw"
    raw.mkdir()
    (raw / "launch.json").write_text(
        json.dumps({"pid": os.getpid(), "name": "run.py", "command": [], "at": 1.0})
    )
    shutil.copy(recorded("clean"), tmp_path)

    async def scene(stage):
        assert "● still running" in stage.column(0)

    play(scene, tmp_path)
    assert sources.saved_as(raw) == tmp_path / "run.cscope.json.gz"


def test_a_session_that_cannot_be_explained_is_said_to_be(play, folder, monkeypatch):
    def odd(session):
        if session.name == "shapes.py":
            raise ZeroDivisionError("odd")
        return explain(session)

    explain = sources.diagnose
    monkeypatch.setattr(sources, "diagnose", odd)

    async def scene(stage):
        states = dict(zip(stage.column(2), stage.column(0), strict=True))
        assert states["shapes.cscope.json.gz"] == "✗ unreadable"
        assert states["clean.py"] == "✓ clean"
        stage.grid.move(stage.column(2).index("shapes.cscope.json.gz"))
        await stage.press("enter")
        assert "cannot be explained" in stage.text("#verdict")
        assert "ZeroDivisionError: odd" in stage.detail.text

    play(scene, folder)
