"""No colour, few colours, another theme: everything is still said."""

from __future__ import annotations

import pytest


def test_no_colour_keeps_backticks_and_marks(play, recorded, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")

    async def scene(stage):
        assert stage.app.no_color
        assert "`mask` had" in stage.detail.text
        lines = "\n".join(stage.lines())
        for mark in ("[1 Causes]", "\u203a A", "↻ recompiles", "^^^^", "▴"):
            assert mark in lines
        strips = stage.screen._compositor.render_strips()
        styles = [segment.style for strip in strips for segment in strip if segment.style]
        colours = {colour for style in styles for colour in (style.color, style.bgcolor) if colour}
        assert all(colour.is_default for colour in colours)
        cursor = next(strip for strip in strips if strip.text.startswith("\u203a"))
        assert all(segment.style.reverse for segment in cursor if segment.text.strip(" \u2590"))

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
