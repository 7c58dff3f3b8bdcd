"""The terminal report: golden files, widths, and input that would take the terminal over."""

from __future__ import annotations

import msgspec
import pytest
from rich.cells import cell_len

from compilescope.packs import report


def test_golden(kind, diagnoses, golden):
    golden(f"reports/terminal/{kind}.txt", report("terminal")(diagnoses[kind], width=80))


def test_everything_shows_each_remedy(diagnoses, golden):
    text = report("terminal")(diagnoses["shapes"], width=100, everything=True)
    golden("reports/terminal/shapes-all.txt", text)
    for cause in diagnoses["shapes"].causes:
        assert all(remedy.text.split()[0] in text for remedy in cause.remedies)


def test_the_dearest_are_shown_and_the_others_counted(diagnoses):
    one = diagnoses["shapes"].causes[0]
    causes = tuple(msgspec.structs.replace(one, id=f"{index}") for index in range(30))
    found = msgspec.structs.replace(diagnoses["shapes"], causes=causes)
    text = report("terminal")(found)
    assert "\nH  " in text
    assert "\nI  " not in text
    assert "   22 more causes: --all\n" in text
    every = report("terminal")(found, everything=True)
    assert "\nAD  " in every
    assert "more causes" not in every


def test_colour_changes_no_word(kind, diagnoses):
    import re

    plain = report("terminal")(diagnoses[kind], width=100)
    coloured = re.sub(
        r"\x1b\[[\d;]*m", "", report("terminal")(diagnoses[kind], width=100, color=True)
    )
    assert "".join(coloured.split()) == "".join(plain.replace("`", "").split())


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_fits_the_width(kind, width, diagnoses):
    text = report("terminal")(diagnoses[kind], width=width)
    # A snippet stays whole, so that it can be copied.
    snippets = {
        line.strip()
        for cause in (*diagnoses[kind].causes, *diagnoses[kind].graph_breaks)
        for remedy in cause.remedies
        for line in remedy.snippet.splitlines()
    }
    long = [
        line
        for line in text.splitlines()
        if cell_len(line) > width and line.strip() not in snippets
    ]
    assert not long


def test_control_characters_are_shown_and_not_sent(diagnoses):
    cause = diagnoses["shapes"].causes[0]
    evil = "\x1b]0;owned\x07 \x9b31m \u202etxt.exe\u2066 \r over"
    changed = msgspec.structs.replace(
        diagnoses["shapes"],
        verdict=evil,
        name=evil,
        causes=(msgspec.structs.replace(cause, why=evil, source=evil),),
        errors=(evil,),
    )
    text = report("terminal")(changed, width=100)
    assert not set(text) & set("\x1b\x07\x9b\u202e\u2066\r")
    assert "owned" in text
