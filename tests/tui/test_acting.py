"""What leaves the program: an editor, the HTML report."""

from __future__ import annotations

import shutil

import msgspec
import pytest

from compilescope import store
from compilescope.tui.sources import report_path


@pytest.fixture
def own(tmp_path, recorded):
    """A session whose source is on this machine."""
    source = tmp_path / "shapes.py"
    source.write_text("\n".join(f"line {number}" for number in range(1, 40)))
    text = msgspec.json.encode(store.load(recorded("shapes")))
    session = store.decode(
        text.replace(b"/home/user/project/shapes.py", str(source).encode()), "own"
    )
    path = tmp_path / f"own{store.SUFFIX}"
    store.save(session, path)
    return path


def test_edit_opens_the_line(play, own, tmp_path, monkeypatch):
    monkeypatch.setenv("EDITOR", "nano")

    async def scene(stage):
        await stage.press("e")
        assert stage.edited == [["nano", "+11", str(tmp_path / "shapes.py")]]
        assert stage.grid.has_focus

    play(scene, own)


def test_a_source_that_is_elsewhere_is_said_to_be(play, recorded):
    async def scene(stage):
        await stage.press("e")
        assert not stage.edited
        assert "~/project/shapes.py is not on this machine" in stage.notices

    play(scene, recorded("shapes"))


def test_an_editor_that_is_not_there(play, own, monkeypatch):
    monkeypatch.setenv("EDITOR", "no-such-editor")

    async def scene(stage):
        del stage.app.run_editor
        await stage.press("e")
        assert any("cannot start no-such-editor" in text for text in stage.notices)

    play(scene, own)


def test_report_is_written_beside_the_session_and_opened(play, own, tmp_path):
    async def scene(stage):
        await stage.press("o")
        assert stage.pages == [tmp_path / "own.html"]
        again = store.load(tmp_path / "own.html")
        assert again == stage.screen.at.opened.session
        assert "opened own.html" in stage.notices

    play(scene, own)


def test_without_a_screen_the_report_is_only_written(play, own, tmp_path):
    async def scene(stage):
        stage.app.open_page = lambda _: False
        await stage.press("o")
        assert "written to own.html" in stage.notices
        assert (tmp_path / "own.html").exists()

    play(scene, own)


def test_a_report_reads_as_the_session_in_it(play, own, tmp_path):
    async def write(stage):
        await stage.press("o")

    async def scene(stage):
        assert stage.column(0) == ["A", "B", "C", "D"]
        await stage.press("o")
        assert stage.pages == [tmp_path / "own.html"]

    play(write, own)
    before = (tmp_path / "own.html").read_bytes()
    play(scene, tmp_path / "own.html")
    assert (tmp_path / "own.html").read_bytes() == before


def test_a_folder_that_cannot_be_written(play, own, monkeypatch):
    def refuse(*_args, **_options):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.write_text", refuse)

    async def scene(stage):
        await stage.press("o")
        assert "no report: Permission denied" in stage.notices

    play(scene, own)


@pytest.mark.parametrize(
    ("session", "page"),
    [
        ("a/run.cscope.json.gz", "a/run.html"),
        ("a/run.cscope.json", "a/run.html"),
        ("a/run.html", "a/run.html"),
        ("a/.run.cscope.json.gz.x1.raw", "a/run.html"),
    ],
)
def test_report_path(session, page, tmp_path):
    assert report_path(tmp_path / session) == tmp_path / page


def test_a_moved_folder_still_finds_relative_sources(play, tmp_path, recorded, monkeypatch):
    monkeypatch.setenv("EDITOR", "vi")
    text = msgspec.json.encode(store.load(recorded("shapes")))
    session = store.decode(text.replace(b"/home/user/project/shapes.py", b"shapes.py"), "own")
    folder = tmp_path / "project" / ".compilescope"
    store.save(session, folder / f"run{store.SUFFIX}")
    (tmp_path / "project" / "shapes.py").write_text("x\n" * 30)

    async def scene(stage):
        await stage.press("e")
        (command,) = stage.edited
        assert command[:2] == ["vi", "+11"]
        assert command[2].endswith("project/shapes.py")

    play(scene, folder / f"run{store.SUFFIX}")
    shutil.rmtree(folder)
