"""The command that opens an editor at a line."""

from __future__ import annotations

import pytest

from compilescope.tui.editor import chosen, command_for


@pytest.mark.parametrize(
    ("editor", "command"),
    [
        ("vim", ["vim", "+12", "a.py"]),
        ("vi", ["vi", "+12", "a.py"]),
        ("nvim -p", ["nvim", "-p", "+12", "a.py"]),
        ("nano", ["nano", "+12", "a.py"]),
        ("emacs -nw", ["emacs", "-nw", "+12", "a.py"]),
        ("emacsclient -t", ["emacsclient", "-t", "+12", "a.py"]),
        ("code --wait", ["code", "--wait", "--goto", "a.py:12"]),
        ("/usr/bin/code", ["/usr/bin/code", "--goto", "a.py:12"]),
        ("hx", ["hx", "a.py:12"]),
        ("subl -w", ["subl", "-w", "a.py:12"]),
        ("micro", ["micro", "a.py:12"]),
        ("pycharm", ["pycharm", "--line", "12", "a.py"]),
        ("kate", ["kate", "--line", "12", "a.py"]),
        ("unheard-of", ["unheard-of", "a.py"]),
        ("'/opt/my editor/vim'", ["/opt/my editor/vim", "+12", "a.py"]),
    ],
)
def test_opens_at_the_line(editor, command):
    assert command_for(editor, "a.py", 12) == command


def test_no_line_no_option():
    assert command_for("vim", "a.py", 0) == ["vim", "a.py"]


def test_a_blank_name_is_vi():
    assert command_for(" ", "a.py", 3) == ["vi", "+3", "a.py"]


@pytest.mark.parametrize(
    ("variables", "editor"),
    [
        ({"EDITOR": "nano"}, "nano"),
        ({"EDITOR": "nano", "VISUAL": "vim"}, "vim"),
        ({"VISUAL": "vim", "COMPILESCOPE_EDITOR": "code"}, "code"),
        ({"VISUAL": "", "EDITOR": "hx"}, "hx"),
        ({}, "vi"),
    ],
)
def test_chosen(variables, editor):
    assert chosen(variables) == editor
