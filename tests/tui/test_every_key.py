"""Every key of the table is pressed once, by each of its names, and what it changes is asserted."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from textual.widgets import Input

from compilescope.tui import live as live_module
from compilescope.tui.keys import KEYS
from compilescope.tui.screens.help import HelpScreen
from compilescope.tui.screens.sessions import SessionsScreen

QUIT = "quit"  # ends the program: last

# id: what is pressed before, and what holds afterwards.
EFFECTS = {
    "view.causes": ("2", lambda s: s.screen.at.active == "1"),
    "view.calls": ("", lambda s: s.screen.at.active == "2"),
    "view.frames": ("", lambda s: s.screen.at.active == "3"),
    "view.breaks": ("", lambda s: s.screen.at.active == "4"),
    "view.compiles": ("", lambda s: s.screen.at.active == "5"),
    "view.notices": ("", lambda s: s.screen.at.active == "6"),
    "view.lint": ("", lambda s: s.screen.at.active == "7"),
    "view.compare": ("", lambda s: s.screen.at.active == "8"),
    "view.environment": ("", lambda s: s.screen.at.active == "9"),
    "view.symbols": ("", lambda s: s.screen.at.active == "0"),
    "view.forecast": ("", lambda s: s.screen.at.active == "w"),
    "view.device": ("", lambda s: s.screen.at.active == "d"),
    "tune": ("", lambda s: said(s, "is gone") or said(s, "is not on this machine")),
    "tune.stop": ("", lambda s: said(s, "no trials are running")),
    "fix": ("", lambda s: said(s, "is not on this machine")),
    "undo": ("", lambda s: said(s, "nothing was changed from here")),
    "move.down": ("", lambda s: s.grid.cursor == 1),
    "move.up": ("G", lambda s: s.grid.cursor == 2),
    "move.page_down": ("2", lambda s: s.grid.cursor > 1),
    "move.page_up": ("2 G", lambda s: 0 < s.grid.cursor < 16),
    "move.first": ("G", lambda s: s.grid.cursor == 0),
    "move.last": ("", lambda s: s.grid.cursor == 3),
    "enter": ("j", lambda s: (s.screen.at.active, s.screen.at.state.filter) == ("2", "cause:B")),
    "back": ("j enter", lambda s: (s.screen.at.active, s.grid.cursor) == ("1", 1)),
    "pane": ("", lambda s: s.detail.has_focus),
    "filter": ("", lambda s: s.screen.query_one("#filter", Input).has_focus),
    "sort": ("2", lambda s: s.grid.sorted[0] == 0),
    "reverse": ("2", lambda s: list(s.grid.rows[:2]) == [17, 16]),
    "spike.next": ("", lambda s: s.timeline.call == 4),
    "spike.previous": ("n", lambda s: s.timeline.call == 1),
    "series.next": ("", lambda s: said(s, "there is one callable only")),
    "series.previous": ("", lambda s: said(s, "there is one callable only")),
    "zoom": ("", lambda s: s.screen.zoomed == "rows" and not s.detail.display),
    "edit": ("", lambda s: said(s, "is not on this machine")),
    "copy.fix": ("", lambda s: s.copied[-1] == s.grid.item.remedies[0].snippet),
    "copy.place": ("", lambda s: s.copied[-1].endswith("shapes.py:11")),
    "report": ("", lambda s: bool(s.pages) and s.pages[-1].exists()),
    "compare": ("", lambda s: bool(s.screen.choose)),
    "list": ("", lambda s: isinstance(s.screen, SessionsScreen)),
    "palette": ("", lambda s: type(s.screen).__name__ == "CommandPalette"),
    "theme": ("", lambda s: type(s.screen).__name__ == "CommandPalette"),
    "help": ("", lambda s: isinstance(s.screen, HelpScreen)),
    QUIT: ("", lambda s: not s.app.is_running),
}
LISTED = {
    "move.down": ("", lambda s: s.grid.cursor == 1),
    "move.up": ("G", lambda s: s.grid.cursor == 0),
    "move.page_down": ("", lambda s: s.grid.cursor == 1),
    "move.page_up": ("G", lambda s: s.grid.cursor == 0),
    "move.first": ("G", lambda s: s.grid.cursor == 0),
    "move.last": ("", lambda s: s.grid.cursor == 1),
    "enter": ("", lambda s: hasattr(s.screen, "at")),
    "back": ("slash x", lambda s: not s.screen.query_one("#filter", Input).value),
    "filter": ("", lambda s: s.screen.query_one("#filter", Input).has_focus),
    "reload": ("", lambda s: len(s.screen.entries) == 3),
    "palette": ("", lambda s: type(s.screen).__name__ == "CommandPalette"),
    "theme": ("", lambda s: type(s.screen).__name__ == "CommandPalette"),
    "help": ("", lambda s: isinstance(s.screen, HelpScreen)),
    QUIT: ("", lambda s: not s.app.is_running),
}
LIVE = {
    "view.output": ("", lambda s: s.screen.at.active == "p"),
    "pause": ("", lambda s: s.screen.paused),
}


def said(stage, text):
    return any(text in notice for notice in stage.notices)


async def press_all(stage, effects, again):
    for key in sorted(KEYS, key=lambda key: key.id == QUIT):
        for name in key.keys.split(",") if key.id in effects else ():
            if not stage.app.is_running:
                return
            before, holds = effects[key.id]
            await stage.press(*before.split())
            stage.app.clear_notifications()
            await stage.press(name)
            assert holds(stage), f"{key.id} by {name}\n" + "\n".join(stage.lines())
            if key.id != QUIT:
                await again(stage)


def test_every_key_is_in_one_of_the_tables():
    assert {key.id for key in KEYS} == {*EFFECTS, *LISTED, *LIVE}
    assert {key.id for key in KEYS if "sessions" in key.places} <= set(LISTED)


def test_keys_of_a_session(play, tmp_path, recorded):
    path = Path(shutil.copy(recorded("shapes"), tmp_path))

    async def again(stage):
        while len(stage.app.screen_stack) > 2:
            await stage.app.pop_screen()
        stage.screen.zoomed = ""
        stage.screen.at.__init__()
        await stage.press("tab", "tab")
        stage.screen.query_one("#filter").add_class("hidden")
        stage.grid.focus()
        stage.screen.show(first)
        stage.timeline.select(1)
        await stage.settle()

    first = None

    async def scene(stage):
        nonlocal first
        first = stage.screen.at.opened
        await press_all(stage, EFFECTS, again)

    play(scene, path)


def test_keys_of_the_list(play, tmp_path, recorded):
    for name in ("shapes", "clean"):
        shutil.copy(recorded(name), tmp_path)

    async def again(stage):
        while len(stage.app.screen_stack) > 2:
            await stage.app.pop_screen()
        await stage.press("escape")
        stage.grid.focus()
        stage.grid.move(0)
        (tmp_path / "third.cscope.json.gz").write_bytes(recorded("ints").read_bytes())
        await stage.settle()

    play(lambda stage: press_all(stage, LISTED, again), tmp_path)


@pytest.mark.parametrize("key", LIVE)
def test_keys_of_a_program_that_runs(play, tmp_path, key):
    script = tmp_path / "long.py"
    script.write_text("import time\ntime.sleep(600)\n")
    live = live_module.start((str(script),), "long.py", output=tmp_path / "long.cscope.json.gz")

    async def again(stage):
        pass

    try:
        play(lambda stage: press_all(stage, {key: LIVE[key]}, again), live=live)
    finally:
        live.recorder.kill()
        live.recorder.wait()
