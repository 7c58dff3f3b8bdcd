"""The one table of keys, and what is made of it."""

from __future__ import annotations

import re

import pytest

from compilescope.errors import InputError
from compilescope.tui.app import Scope
from compilescope.tui.keys import KEYS, keys_of, readme_table
from compilescope.tui.screens.session import SessionScreen
from compilescope.tui.screens.sessions import SessionsScreen
from compilescope.tui.settings import moved_keys
from compilescope.tui.views import VIEWS
from compilescope.tui.widgets.detail import Detail
from compilescope.tui.widgets.grid import Grid

OWNERS = {"session": (SessionScreen,), "sessions": (SessionsScreen,), "pane": (Grid, Detail)}


def test_ids_are_unique():
    assert len({key.id for key in KEYS}) == len(KEYS)


@pytest.mark.parametrize("place", ["session", "sessions"])
def test_no_key_means_two_things_on_one_screen(place):
    keys = [part for key in keys_of(place, "pane", live=True) for part in key.keys.split(",")]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize("key", KEYS, ids=lambda key: key.id)
def test_every_key_has_an_action_where_it_is_bound(key):
    name = key.action.partition("(")[0]
    for place in key.places:
        owners = (Scope,) if name.startswith("app.") else OWNERS[place]
        for owner in owners:
            assert hasattr(owner, f"action_{name.removeprefix('app.')}"), owner


def test_every_view_has_a_key():
    keys = {key.keys for key in KEYS if key.action.startswith("view(")}
    assert set(VIEWS) - {"v"} < keys


def test_readme_table_names_every_key_once():
    table = readme_table()
    for key in KEYS:
        assert table.count(f"| {key.text} |") == 1
    assert all(line.count("|") == 5 for line in table.splitlines())
    assert re.search(r"\| `\?` \| these keys \|", table)


def test_keys_can_be_moved(tmp_path):
    (tmp_path / "pyproject.toml").write_text(
        '[tool.compilescope.tui.keys]\nquit = "x"\n[tool.compilescope.lint]\nselect = ["CS1"]\n'
    )
    assert moved_keys(tmp_path) == {"quit": "x"}


def test_without_a_configuration_nothing_moves(tmp_path):
    assert moved_keys(tmp_path) == {}


def test_an_unknown_id_is_an_error(tmp_path):
    (tmp_path / "pyproject.toml").write_text('[tool.compilescope.tui.keys]\nquti = "x"\n')
    with pytest.raises(InputError, match="quti") as error:
        moved_keys(tmp_path)
    assert "quit" in error.value.hint


async def _quit_with(app, key):
    async with app.run_test() as pilot:
        await pilot.press(key)
        await pilot.pause()
        return app.is_running


def test_a_moved_key_acts():
    import asyncio

    assert not asyncio.run(_quit_with(Scope([], keys={"quit": "x"}), "x"))
    assert asyncio.run(_quit_with(Scope([], keys={"quit": "x"}), "q"))
