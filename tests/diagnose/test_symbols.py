from __future__ import annotations

from compilescope.diagnose import diagnose
from compilescope.model import Compiled, Frame, Guarded, Session, Specialized, Symbol

FORWARD = Frame("/home/user/net.py", 10, "forward")
LINE = Frame("/home/user/net.py", 12, "forward")


def explained(*events):
    compiles = (
        Compiled(0, "0/0", FORWARD, outcome="compiled"),
        Compiled(0, "0/1", FORWARD, outcome="compiled"),
    )
    return diagnose(Session(events=(*compiles, *events))).symbols


def born(compile_id="0/0", name="s77", source="L['x'].size()[0]", value="8", **more):
    return Symbol(0, compile_id, name, source, value, "[2, int_oo]", frame=LINE, **more)


def test_same_size_in_two_graphs_is_one_entry_with_both_values():
    (size,) = explained(born(), born("0/1", "s3", value="9"))
    assert (size.source, size.values, size.compile_ids) == (
        "x.shape[0]",
        ("8", "9"),
        ("0/0", "0/1"),
    )
    assert (size.range, size.frame, size.function) == ("2 and more", LINE, FORWARD)


def test_guards_are_in_the_users_names_and_once():
    first = Guarded(0, "0/0", "Eq(s77, 4*s27)", LINE)
    again = Guarded(0, "0/1", "Eq(s1, 4*s2)", LINE)
    sizes = explained(
        born(),
        born(name="s27", source="L['self'].y.size()[1]"),
        born("0/1", "s1"),
        born("0/1", "s2", "L['self'].y.size()[1]"),
        first,
        again,
    )
    assert [[guard.expression for guard in size.guards] for size in sizes] == [
        ["x.shape[0] == 4*self.y.shape[1]"],
        ["x.shape[0] == 4*self.y.shape[1]"],
    ]


def test_guards_of_the_compiler_itself_are_counted_apart():
    (size,) = explained(
        born(),
        Guarded(0, "0/0", "64*s77 <= 2147483647", LINE),
        Guarded(0, "0/0", "s77 > 1"),
        Guarded(0, "0/0", "s77 < 512", LINE),
    )
    assert [guard.expression for guard in size.guards] == ["x.shape[0] < 512"]
    assert size.compiler_guards == 2


def test_size_that_became_a_constant_says_which_and_where():
    (size,) = explained(born(), Specialized(0, "0/0", "s77", value="8", frame=LINE))
    assert (size.constant, size.constant_frame) == ("8", LINE)


def test_computed_size_without_an_example():
    (size,) = explained(Symbol(0, "0/0", "u0", range="[-int_oo, int_oo]", backed=False))
    assert (size.name, size.source, size.range, size.backed) == ("u0", "", "any", False)


def test_ranges_in_words():
    ranges = {"[2, 64]": "2 to 64", "[-int_oo, 5]": "up to 5", "odd": "odd", "": ""}
    for text, words in ranges.items():
        (size,) = explained(Symbol(0, "0/0", "s0", "L['n']", range=text))
        assert size.range == words
