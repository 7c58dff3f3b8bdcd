"""Keys and mouse on one session: what each does to the state of the screen."""

from __future__ import annotations

import pytest

from compilescope.tui.screens.help import HelpScreen
from compilescope.tui.screens.sessions import SessionsScreen
from compilescope.tui.views import VIEWS
from compilescope.tui.widgets.hints import Hints

WIDE = (200, 50)


def test_first_screen(play, recorded):
    async def scene(stage):
        assert stage.screen.at.active == "1"
        assert stage.column(0) == ["A", "B", "C", "D"]
        assert stage.grid.has_focus
        assert stage.grid.item.seconds_lost == max(
            cause.seconds_lost for cause in stage.screen.at.opened.diagnosis.causes
        )
        assert stage.text("#verdict") == stage.screen.at.opened.diagnosis.verdict
        assert "shapes.py · 18 calls · 8 graphs" in stage.text("#title")
        for word in ("11 │ def forward", "^^^^", "Why", "Fix", "Proof: not verified", "Events"):
            assert word in stage.detail.text
        assert stage.lines()[4].split() == ["▴", "A", "C", "D", "B", "A", "B", "A"]

    play(scene, recorded("shapes"))


@pytest.mark.parametrize("view", "1234567890")
def test_a_digit_shows_its_view(play, recorded, view):
    async def scene(stage):
        await stage.press(view)
        assert stage.screen.at.active == view
        assert stage.grid.table is stage.screen.at.table
        assert f"[{view} {VIEWS[view][0]}]" in "\n".join(stage.lines())
        assert stage.grid.has_focus

    play(scene, recorded("breaks"))


def test_moving_selects_rows_and_shows_their_detail(play, recorded):
    async def scene(stage):
        seen = [stage.detail.text]
        for key, row in (("j", 1), ("down", 2), ("k", 1), ("up", 0), ("G", 3), ("g", 0)):
            await stage.press(key)
            assert stage.grid.cursor == row, key
        await stage.press("end")
        assert stage.grid.cursor == 3
        seen.append(stage.detail.text)
        await stage.press("home", "k")
        assert stage.grid.cursor == 0
        assert seen[0] != seen[1]
        assert stage.detail.text == seen[0]

    play(scene, recorded("shapes"))


def test_pages(play, recorded):
    async def scene(stage):
        await stage.press("2", "pagedown")
        page = stage.grid.cursor
        assert page > 1
        await stage.press("pageup")
        assert stage.grid.cursor == 0
        await stage.press("ctrl+d", "ctrl+d", "ctrl+d", "ctrl+d", "ctrl+d")
        assert stage.grid.cursor == 17
        assert stage.grid.scroll_offset.y == 18 + 1 - stage.grid.size.height
        await stage.press("ctrl+u")
        assert stage.grid.cursor == 17 - page

    play(scene, recorded("shapes"))


def test_tab_and_the_detail_pane(play, recorded):
    async def scene(stage):
        await stage.press("tab")
        assert stage.detail.has_focus
        await stage.press("j", "j")
        assert stage.detail.scroll_offset.y == 2
        await stage.press("G")
        assert stage.detail.scroll_offset.y == stage.detail.max_scroll_y
        await stage.press("g")
        assert stage.detail.scroll_offset.y == 0
        await stage.press("tab")
        assert stage.grid.has_focus
        await stage.press("tab", "escape")
        assert stage.grid.has_focus

    play(scene, recorded("shapes"))


def test_enter_goes_from_cause_to_calls_to_cause_and_esc_comes_back(play, recorded):
    async def scene(stage):
        await stage.press("j", "enter")
        assert (stage.screen.at.active, stage.screen.at.state.filter) == ("2", "cause:B")
        assert list(stage.grid.rows) == [10, 12]
        await stage.press("enter")
        assert (stage.screen.at.active, stage.screen.at.state.filter) == ("1", "cause:B")
        await stage.press("escape")
        assert (stage.screen.at.active, stage.screen.at.state.filter) == ("2", "cause:B")
        await stage.press("escape")
        assert (stage.screen.at.active, stage.screen.at.state.filter) == ("1", "")
        assert stage.screen.at.states["2"].filter == ""

    play(scene, recorded("shapes"))


def test_enter_on_a_row_without_a_target_goes_to_its_detail(play, recorded):
    async def scene(stage):
        await stage.press("9", "enter")
        assert stage.detail.has_focus

    play(scene, recorded("shapes"))


def test_filter(play, recorded):
    async def scene(stage):
        await stage.press("slash")
        await stage.type("kind:")
        assert len(stage.grid.rows) == 4
        assert stage.lines()[-1] == " 4 of 4   enter keeps the filter, esc clears it"
        await stage.type("rank")
        assert stage.column(0) == ["A"]
        assert stage.lines()[-1].startswith(" 1 of 4 ")
        await stage.press("enter")
        assert "? keys  q quit" in stage.lines()[-1]
        assert stage.grid.has_focus
        assert "kind:rank   1 of 4" in stage.text("#status")
        await stage.press("2", "1")
        assert stage.column(0) == ["A"], "a filter belongs to its view"
        await stage.press("escape")
        assert stage.column(0) == ["A", "B", "C", "D"]
        await stage.press("slash")
        await stage.type("!x n>1 jq")
        assert stage.screen.at.state.filter == "!x n>1 jq", "keys are letters while typing"
        assert "No row matches" in "\n".join(stage.lines())
        stage.grid.focus()
        await stage.press("escape")
        assert stage.column(0) == ["A", "B", "C", "D"]
        assert not stage.screen.query_one("#filter").display

    play(scene, recorded("shapes"))


def test_sort_and_reverse(play, recorded):
    async def scene(stage):
        await stage.press("2", "s", "s")
        assert stage.grid.sorted == (1, True)
        slowest = [stage.screen.at.index.series.seconds[row] for row in stage.grid.rows]
        assert slowest == sorted(slowest, reverse=True)
        await stage.press("S")
        assert stage.grid.sorted == (1, False)
        assert list(stage.grid.rows) == sorted(
            range(18), key=stage.screen.at.index.series.seconds.__getitem__
        )
        for _ in range(4):
            await stage.press("s")
        assert stage.grid.sorted[0] in {None, 0}

    play(scene, recorded("shapes"))


def test_sorting_keeps_the_selected_row(play, recorded):
    async def scene(stage):
        await stage.press("2", "j", "j", "j", "s", "s")
        assert stage.grid.item == 3

    play(scene, recorded("shapes"))


def test_spikes(play, recorded):
    async def scene(stage):
        assert stage.timeline.call == 1
        compiled = stage.screen.at.index.series.compiled
        await stage.press("n")
        assert stage.timeline.call == compiled[2] == 4
        await stage.press("n")
        assert stage.timeline.call == 5
        assert stage.screen.at.index.letters[stage.grid.item.id] == "D"
        await stage.press("N")
        assert stage.timeline.call == 4
        assert stage.screen.at.index.letters[stage.grid.item.id] == "C"
        await stage.press("2", "n")
        assert stage.grid.item == stage.timeline.call == compiled[1]
        for _ in range(9):
            await stage.press("n")
        assert stage.timeline.call == compiled[-1]
        assert "no later call compiled anything" in stage.notices

    play(scene, recorded("shapes"))


def test_series(play, tmp_path, two_callables):
    async def scene(stage):
        assert stage.timeline.index.series.name == "slow"
        await stage.press("2", "right_square_bracket")
        assert stage.timeline.index.series.name == "quick"
        assert len(stage.grid.rows) == 3
        assert "[2/2]" in stage.lines()[stage.timeline.region.y]
        await stage.press("left_square_bracket")
        assert stage.timeline.index.series.name == "slow"

    play(scene, two_callables)


def test_zoom(play, recorded):
    async def scene(stage):
        await stage.press("z")
        assert not stage.detail.display or stage.detail.size.height == 0
        high = stage.grid.size.height
        assert high > 14
        await stage.press("z")
        assert stage.grid.size.height < high
        await stage.press("tab", "z")
        assert stage.detail.size.height > 14
        await stage.press("tab")
        assert stage.grid.has_focus
        assert stage.grid.size.height > 3

    play(scene, recorded("shapes"))


def test_copy(play, recorded):
    async def scene(stage):
        await stage.press("y", "Y")
        cause = stage.grid.item
        assert stage.copied == [
            cause.remedies[0].snippet,
            f"{cause.frame.path}:{cause.frame.line}",
        ]
        assert stage.notices[-1] == f"copied  {stage.copied[1]}"
        await stage.press("2", "j", "j", "y", "Y")
        assert len(stage.copied) == 2
        assert "this row has no fix" in stage.notices

    play(scene, recorded("shapes"))


def test_help_lists_the_keys_of_the_screen(play, recorded):
    async def scene(stage):
        await stage.press("question_mark")
        assert isinstance(stage.screen, HelpScreen)
        assert "edit" in [key.id for key in stage.screen.keys]
        assert "pause" not in [key.id for key in stage.screen.keys]
        await stage.press("escape")
        assert stage.screen.at.active == "1"

    play(scene, recorded("shapes"))


@pytest.mark.parametrize("key", ["colon", "ctrl+p"])
def test_palette_runs_a_command_by_name(play, recorded, key):
    async def scene(stage):
        await stage.press(key)
        await stage.type("graph breaks")
        await stage.pilot.pause(0.3)
        await stage.press("enter")
        await stage.pilot.pause(0.2)
        await stage.settle()
        assert stage.screen.at.active == "4"

    play(scene, recorded("breaks"))


def test_theme_is_chosen_in_the_palette(play, recorded):
    async def scene(stage):
        await stage.press("t")
        assert type(stage.screen).__name__ == "CommandPalette"

    play(scene, recorded("shapes"))


@pytest.mark.parametrize("key", ["q", "ctrl+q"])
def test_quit(play, recorded, key):
    async def scene(stage):
        await stage.press(key)
        assert not stage.app.is_running

    play(scene, recorded("shapes"))


def test_list_of_the_folder_and_back(play, recorded):
    async def scene(stage):
        await stage.press("l")
        assert isinstance(stage.screen, SessionsScreen)
        folder = recorded("shapes").parent
        assert len(stage.screen.entries) == len(list(folder.glob("*.gz")))
        await stage.press("escape")
        assert stage.screen.at.active == "1"

    play(scene, recorded("shapes"))


def test_compare_with_another_run(play, recorded):
    async def scene(stage):
        await stage.press("8")
        assert "Press c to choose" in "\n".join(stage.lines())
        await stage.press("c")
        assert stage.screen.choose
        row = [entry.name for entry in stage.screen.entries].index("ints.py")
        stage.grid.move(row)
        await stage.press("enter")
        assert stage.screen.at.active == "8"
        assert stage.screen.at.comparison.before == "ints.py"
        changes = stage.column(0)
        assert "+ new" in changes
        assert "✓ gone" in changes
        assert "Both runs" in stage.detail.text

    play(scene, recorded("shapes"))


def test_mouse(play, recorded):
    async def scene(stage):
        await stage.pilot.click("#rows", offset=(5, 3))
        await stage.settle()
        assert stage.grid.cursor == 2
        await stage.pilot.click("#rows", offset=(9, 0))
        await stage.settle()
        assert stage.grid.sorted == (1, True)
        await stage.pilot.click("#tabs", offset=(13, 0))
        await stage.settle()
        assert stage.screen.at.active == "2"
        await stage.pilot.click("#timeline", offset=(1 + 4 * 5, 1))
        await stage.settle()
        assert stage.timeline.call == stage.grid.item == 5
        await stage.pilot.click("#rows", offset=(5, 1), times=2)
        await stage.settle()
        assert stage.screen.at.active == "2"
        assert stage.detail.has_focus, "a steady call has nothing to go into"

    play(scene, recorded("shapes"))


def test_a_hint_is_clicked(play, recorded):
    async def scene(stage):
        hints = stage.screen.query_one(Hints)
        assert [key.id for key in hints.shown()][-2:] == ["help", "quit"]
        at = stage.lines()[-1].index("/ filter")
        await stage.pilot.click(hints, offset=(at, 0))
        await stage.settle()
        assert stage.screen.query_one("#filter").has_focus
        await stage.press("escape")
        await stage.pilot.resize_terminal(24, 24)
        await stage.settle()
        assert [key.id for key in hints.shown()][-2:] == ["help", "quit"]
        assert stage.lines()[-1].endswith("q quit")

    play(scene, recorded("shapes"))


def test_resize(play, recorded):
    async def scene(stage):
        for size in ((200, 50), (30, 8), (20, 4), (110, 30), (80, 24)):
            await stage.pilot.resize_terminal(*size)
            await stage.settle()
            assert len(stage.lines()) == size[1]
        assert stage.column(0) == ["A", "B", "C", "D"]
        assert "def forward" in "\n".join(stage.lines())

    play(scene, recorded("shapes"))


def test_wide_terminals_have_the_panes_side_by_side(play, recorded):
    async def scene(stage):
        assert stage.detail.region.x > stage.grid.region.x
        assert stage.detail.region.y == stage.grid.region.y
        assert stage.timeline.size.height == 5
        assert "Fixing the first 3 causes gives back" in stage.text("#recovery")

    play(scene, recorded("shapes"), size=WIDE)
