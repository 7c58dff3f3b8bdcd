"""Changes of the source: shown, made whole or not, refused where the file is another, undone."""

from __future__ import annotations

import stat
import sys

import msgspec
import pytest

from compilescope import store
from compilescope.errors import InputError
from compilescope.model import Environment, Frame, GraphBroke, Session
from compilescope.tui import patches
from compilescope.tui.patches import Change, from_diff, paths_in
from compilescope.tui.screens.fix import FixScreen
from compilescope.tuning import Applied, Measures, Patch, Trial, Tuning

TEXT = """\
import torch


@torch.compile
def step(x):
    print("step")
    return x * 2


step(torch.ones(3))
"""


@pytest.fixture
def broken(tmp_path):
    """A session with a graph break at a line that lint can correct, and its source."""
    script = tmp_path / "train.py"
    script.write_text(TEXT)
    script.chmod(0o755)
    lines = dict(enumerate(TEXT.splitlines(), 1))
    event = GraphBroke(0, "0/0", "Unsupported builtin", Frame(str(script), 6, "step"))
    session = Session(name="train.py", events=(event,), sources={str(script): lines})
    path = tmp_path / ".compilescope" / f"train{store.SUFFIX}"
    store.save(session, path)
    return path


def test_a_fix_is_shown_then_written_then_undone(play, broken, tmp_path):
    script = tmp_path / "train.py"

    async def scene(stage):
        await stage.press("f")
        assert isinstance(stage.screen, FixScreen)
        shown = stage.screen.query_one("#diff").text
        assert '-    print("step")' in shown
        assert script.read_text() == TEXT, "nothing is written before the answer"
        await stage.press("y")
        assert "--- a/train.py\n+++ b/train.py\n" in stage.copied[0]
        await stage.press("enter")
        assert script.read_text() == TEXT.replace(
            "    print", "    if not torch.compiler.is_compiling():\n        print"
        )
        assert stat.S_IMODE(script.stat().st_mode) == 0o755
        assert any("changed train.py. Undo: u, later: git apply -R" in t for t in stage.notices)
        kept = tmp_path / ".compilescope" / "train-applied.diff"
        assert kept.read_text() == stage.copied[0]
        await stage.press("u")
        assert script.read_text() == TEXT
        assert "train.py is as it was before" in stage.notices
        await stage.press("u")
        assert "nothing was changed from here" in stage.notices

    play(scene, broken)


@pytest.mark.parametrize("key", ["escape", "q", "f"])
def test_a_fix_that_is_not_wanted_changes_nothing(play, broken, tmp_path, key):
    async def scene(stage):
        await stage.press("f")
        await stage.press(key)
        assert stage.screen.at.active == "1"

    play(scene, broken)
    assert (tmp_path / "train.py").read_text() == TEXT
    assert not (tmp_path / ".compilescope" / "train-applied.diff").exists()


def test_a_file_that_changed_since_the_session_is_refused(play, broken, tmp_path):
    (tmp_path / "train.py").write_text(TEXT.replace("* 2", "* 3"))

    async def scene(stage):
        await stage.press("f")
        assert not isinstance(stage.screen, FixScreen)
        assert any("train.py has changed since" in text for text in stage.notices)

    play(scene, broken)


def test_a_file_that_changes_while_the_fix_is_shown_is_refused(play, broken, tmp_path):
    script = tmp_path / "train.py"

    async def scene(stage):
        await stage.press("f")
        script.write_text(f"{TEXT}# more\n")
        await stage.press("enter")
        assert any("has changed since" in text for text in stage.notices)

    play(scene, broken)
    assert script.read_text() == f"{TEXT}# more\n"


def test_an_undo_of_a_file_that_was_edited_since_is_refused(play, broken, tmp_path):
    script = tmp_path / "train.py"

    async def scene(stage):
        await stage.press("f", "enter")
        script.write_text(f"{script.read_text()}# more\n")
        await stage.press("u")
        assert any("has changed since" in text for text in stage.notices)

    play(scene, broken)
    assert script.read_text().endswith("# more\n")


def test_a_line_without_a_fix_says_so(play, recorded, broken, tmp_path):
    async def elsewhere(stage):
        await stage.press("f")
        assert any("is not on this machine" in text for text in stage.notices)
        await stage.press("2", "j", "j", "f")
        assert any("no line of source" in text for text in stage.notices)

    async def scene(stage):
        await stage.press("f")
        assert any("lint has no fix for this line" in text for text in stage.notices)

    play(elsewhere, recorded("shapes"))
    plain = TEXT.replace('print("step")', "y = x + 1")
    (tmp_path / "train.py").write_text(plain)
    session = store.load(broken)
    lines = dict(enumerate(plain.splitlines(), 1))
    changed = msgspec.structs.replace(session, sources=dict.fromkeys(session.sources, lines))
    store.save(changed, broken)
    play(scene, broken)


def test_the_change_that_trials_proved(play, broken, tmp_path):
    change = Change(tmp_path / "train.py", TEXT, TEXT.replace("* 2", "* 2.0"))
    best = Trial(
        1,
        (Applied("x", "write 2.0"),),
        Measures(),
        "solved",
    )
    patch = Patch(change.diff("train.py"), verified=True, why="Verified: a run")
    tuning = Tuning(
        "train.py", (), Environment(), Trial(0, (), Measures(), "baseline"), (best,), 1, patch
    )
    tuned = broken.with_name(f"train-tuned{store.SUFFIX}")
    session = store.load(broken)
    command = (sys.executable, "train.py")
    store.save(msgspec.structs.replace(session, command=command), tuned)
    broken.with_name("train-tuned.json").write_bytes(msgspec.json.encode(tuning))

    async def scene(stage):
        await stage.press("v", "f")
        assert "+    return x * 2.0" in stage.screen.query_one("#diff").text
        await stage.press("enter")

    play(scene, tuned)
    assert (tmp_path / "train.py").read_text() == change.after


OLD = "a = 1\nb = 2\nc = 3\nd = 4\n"


def diff(before, after, name="x.py"):
    return Change(None, before, after).diff(name)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (OLD, OLD.replace("2", "20")),
        (OLD, f"import os\n{OLD}e = 5\n"),
        (OLD, ""),
        ("a = 1\nb = 2\n-a\n", "a = 1\nb = 2\n"),
        (OLD.replace("\n", "\r\n"), OLD.replace("2", "20").replace("\n", "\r\n")),
        ("\n".join(f"v{n} = {n}" for n in range(60)) + "\n",
         "\n".join(f"v{n} = {n * (n % 20 > 0)}" for n in range(60)) + "\n"),
    ],
)  # fmt: skip
def test_a_diff_gives_the_text_that_it_was_made_from(tmp_path, before, after):
    (tmp_path / "x.py").write_bytes(before.encode())
    text = diff(before.replace("\r\n", "\n"), after.replace("\r\n", "\n"))
    assert paths_in(text) == ["x.py"]
    (change,) = from_diff(text, tmp_path, {})
    assert change.after == after
    patches.write(change)
    assert (tmp_path / "x.py").read_bytes() == after.encode()


def test_two_files_in_one_diff(tmp_path):
    for name in ("x.py", "y.py"):
        (tmp_path / name).write_text(OLD)
    text = diff(OLD, "a = 0\n", "x.py") + diff(OLD, "b = 0\n", "y.py")
    changes = from_diff(text, tmp_path, {})
    assert [(change.path.name, change.after) for change in changes] == [
        ("x.py", "a = 0\n"),
        ("y.py", "b = 0\n"),
    ]


@pytest.mark.parametrize(
    ("now", "digest", "message"),
    [
        (OLD.replace("c", "z"), "", "has changed since"),
        (f"{OLD}e = 5\n", "0" * 64, "has changed since"),
        (f"# new\n{OLD}", "", "has changed since"),
        (None, "", "cannot be read"),
    ],
)
def test_a_diff_for_another_text_is_refused(tmp_path, now, digest, message):
    path = tmp_path / "x.py"
    if now is not None:
        path.write_text(now)
    with pytest.raises(InputError, match=message):
        from_diff(diff(OLD, OLD.replace("2", "20")), tmp_path, {str(path): digest})


def test_what_would_not_parse_is_refused(tmp_path):
    (tmp_path / "x.py").write_text(OLD)
    with pytest.raises(InputError, match="would not parse"):
        from_diff(diff(OLD, OLD.replace("2", "(")), tmp_path, {})
