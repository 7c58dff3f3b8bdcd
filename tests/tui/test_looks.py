"""No colour, few colours, another theme: everything is still said."""

from __future__ import annotations

import re

import pytest


def test_no_colour_keeps_backticks_and_marks(play, recorded, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")

    async def scene(stage):
        assert stage.app.no_color
        assert "`mask` had" in stage.detail.text
        lines = "\n".join(stage.lines())
        for mark in ("[1 Causes]", "\u203a A", "↻ recompiles", "^^^^", "▴"):
            assert mark in lines
        colors = set(re.findall(r"#[0-9a-f]{6}", stage.app.export_screenshot().lower()))
        # The SVG draws a window with three coloured buttons and a default text of its own.
        grey = {color for color in colors if color[1:3] == color[3:5] == color[5:7]}
        frame = {"#ff5f57", "#febc2e", "#28c840", "#c5c8c6", "#868887"}
        assert colors - grey <= frame

    play(scene, recorded("shapes"))


@pytest.mark.parametrize(
    ("term", "colorterm", "theme"),
    [
        ("linux", "", "ansi-dark"),
        ("xterm-16color", "", "ansi-dark"),
        ("screen", "", "ansi-dark"),
        ("xterm-256color", "", "textual-dark"),
        ("tmux-256color", "", "textual-dark"),
        ("xterm", "truecolor", "textual-dark"),
    ],
)
def test_a_terminal_of_16_colours_keeps_its_own(
    play, recorded, monkeypatch, term, colorterm, theme
):
    monkeypatch.setenv("TERM", term)
    monkeypatch.setenv("COLORTERM", colorterm)

    async def scene(stage):
        assert stage.app.theme == theme
        assert "\u203a A" in "\n".join(stage.lines())

    play(scene, recorded("shapes"))


@pytest.mark.parametrize("theme", ["textual-light", "gruvbox", "ansi-light", "dracula"])
def test_a_theme_redraws_everything(play, recorded, theme):
    async def scene(stage):
        before = stage.detail._drawn
        stage.app.theme = theme
        await stage.settle()
        await stage.pilot.pause(0.05)
        assert stage.detail._drawn is not before
        assert stage.detail.text

    play(scene, recorded("shapes"))
