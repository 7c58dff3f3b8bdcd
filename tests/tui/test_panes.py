"""What the panes are made of: lines of a document, the bar, rows that a filter takes in groups."""

from __future__ import annotations

import pytest
from rich.cells import cell_len
from textual.geometry import Size

from compilescope import store
from compilescope.diagnose import diagnose
from compilescope.filters import parse
from compilescope.model import Called, Compiled, Frame, GraphBroke, Session
from compilescope.tui.browsing import ViewState
from compilescope.tui.screens.narrowing import matching, ordered
from compilescope.tui.sources import open_session
from compilescope.tui.views import VIEWS
from compilescope.tui.views.index import Index
from compilescope.tui.views.table import Block, Excerpt
from compilescope.tui.widgets.grid import _whole
from compilescope.tui.widgets.lines import lines_of, wrapped
from compilescope.tui.widgets.tabs import Tabs

WIDE = (200, 50)


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("", 5, [""]),
        ("abc", 5, ["abc"]),
        ("abc def", 5, ["abc", "def"]),
        ("abc de fg", 6, ["abc de", "fg"]),
        ("abc   def", 5, ["abc", "def"]),
        ("  abc def", 5, ["  abc", "def"]),
        ("abcdefgh", 3, ["abc", "def", "gh"]),
        ("ab cdefgh ij", 4, ["ab", "cdef", "gh", "ij"]),
        ("数据数据 数", 5, ["数据", "数据", "数"]),
        ("abc", 0, []),
    ],
)
def test_wrapped(text, width, lines):
    assert [text[start:end] for start, end in wrapped(text, width)] == lines
    assert all(cell_len(line) <= width for line in lines)


def spans(*blocks, width=20, ticks=False):
    return [[tuple(span) for span in line] for line in lines_of(blocks, width, ticks=ticks)]


def test_code_in_prose_is_marked_over_the_end_of_a_line():
    assert spans(Block("a `bb cc` d", "good"), width=7) == [
        [(" ", "", False), ("a ", "good", False), ("bb", "good", True)],
        [(" ", "", False), ("cc", "good", True), (" d", "good", False)],
    ]
    assert spans(Block("a `b`"), ticks=True) == [[(" ", "", False), ("a `b`", "", False)]]


def test_headings_code_and_carets():
    assert spans(Block("Why", heading=True)) == [[], [(" Why", "heading", False)]]
    assert spans(Block("`x`", code=True, indent=2)) == [[("   ", "", False), ("`x`", "", False)]]
    excerpt = Excerpt(((9, "x = 1"), (10, "y = x.item()")), 10, (4, 8))
    assert spans(Block(excerpt=excerpt)) == [
        [("   9 │ ", "dim", False), ("x = 1", "", False)],
        [(" \u203a10 │ ", "dim", False), ("y = x.item()", "here", False)],
        [("     │     ", "dim", False), ("^^^^^^^^", "caret", False)],
    ]
    assert spans(Block(excerpt=excerpt), width=14)[1][1] == ("y = x.…", "here", False)


QUERIES = """
s  eager  kind:eager  !kind:eager  s>10ms  !s>1ms  call<20  kind:steady#s>1us  n>0  !n>0  n=0
cause:a  first  model  !model#call>5  call=3  s<1#!call<4  phase:x  !phase:x
"""


@pytest.mark.parametrize("session", ["limit", "shapes", "several", "large"])
def test_a_filter_by_groups_finds_what_one_by_row_finds(recorded, large_session, session):
    if session == "large":
        diagnosis = diagnose(large_session(calls=500, compiles=60, causes=5))
    else:
        diagnosis = open_session(recorded(session)).diagnosis
    for number in range(len(diagnosis.calls)):
        table = VIEWS["2"][1](Index(diagnosis, number))
        assert table.groups is not None
        for text in QUERIES.split():
            query = parse(text.replace("#", " "))
            held = [at for at, item in enumerate(table.items) if query.holds(table.values(item))]
            assert matching(table, query) == held, text


def test_an_order_by_keys_is_that_of_the_cells(large_session):
    table = VIEWS["2"][1](Index(diagnose(large_session(calls=300, compiles=20, causes=3))))
    last = len(table.columns) - 1
    state = ViewState(sort=last, down=True)
    cells = [table.columns[last].cell(item).lower() for item in table.items]
    rows = ordered(table, range(300), state)
    assert rows == sorted(range(300), key=cells.__getitem__, reverse=True)
    assert ordered(table, range(300), ViewState(sort=0)) == list(range(300))


def test_the_bar_is_drawn_and_taken_by_the_mouse(play, tmp_path, large_session):
    path = tmp_path / f"large{store.SUFFIX}"
    store.save(large_session(calls=1_000, compiles=5, causes=2), path)

    async def scene(stage):
        await stage.press("2")
        grid = stage.grid

        def bar():
            return [
                line for line in range(1, grid.size.height) if "▐" in grid.render_line(line).text
            ]

        assert bar() == [1]
        end = grid.size.height - 1
        await stage.pilot.mouse_down(grid, (79, end))
        await stage.settle()
        assert grid.scroll_offset.y == grid.max_scroll_y
        assert bar() == [end]
        await stage.pilot.hover(grid, (79, 1))
        await stage.settle()
        assert grid.scroll_offset.y == 0
        await stage.pilot.mouse_up(grid, (79, 1))
        await stage.pilot.hover(grid, (79, 5))
        await stage.settle()
        assert grid.scroll_offset.y == 0, "the bar was let go"
        assert grid.cursor == 0

    play(scene, path)


@pytest.fixture
def nested(tmp_path):
    """A function that calls another, which calls a third; a fourth by itself."""

    def compiled(name, line, number, seconds):
        return Compiled(
            0, f"{number}/0", Frame("/m.py", line, name), at=100.0 + number, seconds=seconds
        )

    inner = (Frame("/m.py", 15, "outer"), Frame("/m.py", 35, "middle"), Frame("/m.py", 55, "leaf"))
    events = (
        compiled("outer", 10, 0, 0.1),
        GraphBroke(0, "0/0", "print", inner[-1], at=100.5, stack=inner),
        compiled("middle", 30, 1, 0.2),
        compiled("leaf", 50, 2, 0.4),
        compiled("alone", 70, 3, 0.5),
        Called(0, 0, 0, 100.0, 1.5, ("0/0", "1/0", "2/0", "3/0")),
    )
    path = tmp_path / f"nested{store.SUFFIX}"
    store.save(Session(name="nested.py", events=events), path)
    return path


def test_frames_are_a_tree_until_they_are_sorted_or_filtered(play, nested):
    async def scene(stage):
        await stage.press("3")

        def functions():
            return [line[51:].rstrip() for line in stage.lines()[7:11]]

        assert functions() == [
            "m.py:10 outer",
            "└ m.py:30 middle",
            "  └ m.py:50 leaf",
            "m.py:70 alone",
        ]
        assert "700 ms with what it calls" in " ".join(stage.detail.text.split())
        assert "Calls\n   ✓  600 ms  m.py:30 middle" in stage.detail.text
        await stage.press("j", "j")
        assert "Called by\n   /m.py:30 in middle\n   /m.py:10 in outer" in stage.detail.text
        await stage.press("s", "s")
        assert [text.split()[0] for text in functions()] == [
            "m.py:70",
            "m.py:50",
            "m.py:30",
            "m.py:10",
        ]
        await stage.press("s", "s", "s", "s", "s", "slash")
        assert functions()[0] == "m.py:10 outer"
        await stage.type("leaf")
        assert functions()[0] == "m.py:50 leaf"

    play(scene, nested)


@pytest.mark.parametrize(
    ("width", "shown"),
    [
        (60, "[1 Causes] 2 Calls 3 Frames 8 Compare w Forecast p Out"),
        (52, "[1 Causes] 2 Calls 3 Frames 8 Cmp w Forecast p Out"),
        (44, "[1 Causes] 2 Calls 3 Frm 8 Cmp w Fore p Out"),
        (38, "[1 Causes] 2 Call 3 Frm 8 Cmp w Fore p"),
        (30, "[1 Causes] 2 Call 3 Frm 8 w p"),
    ],
)
def test_names_of_views_get_brief_before_they_go(monkeypatch, width, shown):
    tabs = Tabs()
    monkeypatch.setattr(Tabs, "size", Size(width, 1))
    names = {"1": "Causes", "2": "Calls", "3": "Frames", "8": "Compare"}
    tabs.names, tabs.active = {**names, "w": "Forecast", "p": "Out"}, "1"
    assert " ".join(tabs._shown().values()) == shown


@pytest.mark.parametrize(
    ("width", "shown"),
    [
        (30, "a_long_name.py:12 forward"),
        (20, "a_long_name.py:12"),
        (12, "…_name.py:12"),
    ],
)
def test_a_place_keeps_its_line(width, shown):
    assert _whole("a_long_name.py:12 forward", width) == shown
