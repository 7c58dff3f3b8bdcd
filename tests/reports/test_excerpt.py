from __future__ import annotations

from compilescope.reports.excerpt import excerpt

from compilescope.model import Frame

SOURCES = {
    "a.py": {1: "", 2: "    def f(self, x):", 3: "\t    y = self.scale * x", 4: "        return y"}
}


def test_indent_is_cut_and_carets_stand_under_the_expression():
    lines = excerpt(SOURCES, Frame("a.py", 3), "self.scale")
    assert [line.number for line in lines] == [2, 3, 4]
    here = lines[1]
    assert here.here
    start = here.text.index("self.scale")
    assert here.carets == " " * start + "^" * len("self.scale")
    assert lines[0].text == "def f(self, x):"


def test_last_name_is_marked_where_the_whole_is_not_written_so():
    (line,) = excerpt({}, Frame("b.py", 9, code="z = scale + 1"), "model.scale")
    assert line.carets == "    ^^^^^"


def test_nothing_is_marked_that_is_only_part_of_a_word():
    (line,) = excerpt({}, Frame("b.py", 9, code="max(box)"), "x")
    assert line.carets == ""


def test_unknown_source_is_no_excerpt():
    assert excerpt(SOURCES, Frame("c.py", 3)) == ()
    assert excerpt(SOURCES, Frame("a.py", 1)) == ()
