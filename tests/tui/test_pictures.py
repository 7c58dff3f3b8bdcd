"""What the screens look like, on diagnoses whose words do not change; state is asserted beside."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import pytest

from compilescope import store
from compilescope.diagnosis import Diagnosis
from compilescope.model import Environment
from compilescope.tui import sources
from compilescope.tui.fixes import Fix
from compilescope.tui.patches import Change
from compilescope.tui.screens.fix import FixScreen
from compilescope.tui.widgets.detail import Detail
from compilescope.tuning import Applied, Measures, Patch, Trial, Tuning

DIAGNOSES = Path(__file__).parents[1] / "data" / "diagnoses"
NARROW, WIDE = (80, 24), (200, 50)


@pytest.fixture(autouse=True)
def frozen(monkeypatch):
    """Diagnoses as they were recorded, so that new wording changes no picture."""

    def look_up(session):
        path = DIAGNOSES / f"{session.name.removesuffix('.py')}.json"
        return msgspec.json.decode(path.read_bytes(), type=Diagnosis)

    monkeypatch.setattr(sources, "diagnose", look_up)


# name, session, size, keys, active view, selected row
PICTURES = [
    ("causes-80", "shapes", NARROW, (), "1", 0),
    ("causes-200", "shapes", WIDE, ("j",), "1", 1),
    ("breaks-200", "breaks", WIDE, ("4", "j"), "4", 1),
    ("calls-80", "shapes", NARROW, ("2", "n", "n"), "2", 4),
    ("time-200", "breaks", WIDE, ("5", "s", "s"), "5", 0),
    ("fallback-80", "limit", NARROW, (), "1", 0),
    ("frames-80", "breaks", NARROW, ("3",), "3", 0),
    ("filter-80", "ints", NARROW, ("2", "slash", "s", "less_than_sign", "5", "0"), "2", 0),
    ("nothing-80", "nothing", NARROW, (), "1", 0),
    ("failed-80", "failed", NARROW, (), "1", 0),
    ("detail-80", "limit", NARROW, ("j", "tab", "z"), "1", 1),
]


@pytest.mark.parametrize(
    ("name", "session", "size", "keys", "active", "row"),
    PICTURES,
    ids=[entry[0] for entry in PICTURES],
)
def test_session(play, picture, recorded, name, session, size, keys, active, row):
    async def scene(stage):
        await stage.press(*keys)
        assert stage.screen.at.active == active
        assert stage.grid.cursor == row
        picture(stage.app, name)

    play(scene, recorded(session), size=size)


def test_help(play, picture, recorded):
    async def scene(stage):
        await stage.press("question_mark")
        assert type(stage.screen).__name__ == "HelpScreen"
        picture(stage.app, "help-200")

    play(scene, recorded("shapes"), size=WIDE)


def test_list(play, picture, recorded, tmp_path):
    for name in ("shapes", "clean", "limit", "breaks", "failed"):
        shutil.copy(recorded(name), tmp_path)
    (tmp_path / "cut.cscope.json.gz").write_bytes(recorded("ints").read_bytes()[:200])

    async def scene(stage):
        stage.screen.entries = [
            unreadable(entry) if entry.error else entry for entry in stage.screen.entries
        ]
        stage.screen._show()
        await stage.settle()
        assert len(stage.grid.rows) == 6
        picture(stage.app, "sessions-80")

    def unreadable(entry):
        return sources.Entry(Path(entry.path.name), 0.0, entry.name, error="the file is damaged")

    play(scene, tmp_path)


def test_comparison(play, picture, recorded, tmp_path):
    for name in ("shapes", "ints"):
        shutil.copy(recorded(name), tmp_path)

    async def scene(stage):
        await stage.press("enter", "c", "enter")
        assert stage.screen.at.active == "8"
        picture(stage.app, "comparison-200")

    play(scene, tmp_path / "shapes.cscope.json.gz", tmp_path / "ints.cscope.json.gz", size=WIDE)


def measured(recompiles, worst, steady, total):
    return Measures(18, recompiles, compiles=8, compile_seconds=0.5 if recompiles else 0.3,
                    first=0.14, steady=steady, worst=worst, total=total, rss=3780**2)  # fmt: skip


PATCH = """\
--- a/shapes.py
+++ b/shapes.py
@@ -24,5 +24,6 @@
 for rows in (16, 16, 16, 16, 12, 16, 1, 16):
     x = torch.randn(rows, 8)
+    torch._dynamo.decorators.mark_unbacked(x, 0)
     head(x, mask)
 """
PRICE = "the compiler has no example size to tune kernels for"
TUNING = Tuning(
    name="shapes.py",
    command=("python3", "shapes.py"),
    environment=Environment(),
    baseline=Trial(0, (), measured(7, 0.141, 1.02e-4, 4.6), "baseline"),
    trials=(
        Trial(1, (Applied("mark_dynamic", "mark_dynamic(x, 0)", PRICE),),
              measured(6, 0.138, 1.04e-4, 4.5), "better", outputs="agree"),
        Trial(2, (Applied("dynamic_true", "torch.compile(dynamic=True)"),),
              measured(7, 0.15, 1.1e-4, 4.6), "no better", outputs="agree"),
        Trial(3, (Applied("mark_unbacked", "mark_unbacked(x, 0)", PRICE),),
              measured(0, 0.004, 1.06e-4, 3.9), "solved", outputs="agree"),
    ),
    best=3,
    patch=Patch(PATCH, verified=True, why="Verified: a run of the changed source has 0 recompiles"),
)  # fmt: skip


def test_trials(play, picture, recorded, tmp_path):
    path = tmp_path / f"shapes-tuned{store.SUFFIX}"
    shutil.copy(recorded("shapes"), path)
    path.with_name("shapes-tuned.json").write_bytes(msgspec.json.encode(TUNING))

    async def scene(stage):
        await stage.press("v")
        assert stage.screen.at.active == "v"
        assert stage.column(0)[stage.grid.cursor] == "✓ solved *"
        stage.app.clear_notifications()
        await stage.settle()
        picture(stage.app, "trials-200")

    play(scene, path, size=WIDE)


def test_fix(play, picture, recorded):
    change = Change(Path("shapes.py"), "a = 1\nb = x.item()\n", "a = 1\nb = x.sum()\n")
    fix = Fix((change,), "CS120 tensor data becomes a Python number", ("Read it.",), doubt=True)

    async def scene(stage):
        stage.app.push_screen(FixScreen(fix))
        await stage.settle()
        assert "-b = x.item()" in stage.screen.query_one(Detail).text
        picture(stage.app, "fix-80")

    play(scene, recorded("shapes"))
