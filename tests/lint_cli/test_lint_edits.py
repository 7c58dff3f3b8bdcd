"""What a rule's fix is given, and how edits are put together."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compilescope.lint.edits import Correction, Declined, Tree
from compilescope.lint.spans import Edit, Group, apply, compatible, split_lines
from compilescope.model import Finding


class TestCorrection:
    """What a rule is given."""

    SOURCE = "import torch.nn.functional as F\ny = f((a + b), not c)\n"

    def at(self, column, end):
        finding = Finding("m.py", 2, column, 2, end, "CS1", "n", "m")
        return Correction(Tree(self.SOURCE), finding)

    def test_node_of_the_range(self):
        correction = self.at(8, 13)
        assert correction.text(correction.node) == "a + b"

    def test_operands_get_parentheses_where_they_need_them(self):
        binary, name = self.at(8, 13), self.at(8, 9)
        assert binary.text(binary.node, operand=True) == "(a + b)"
        assert name.text(name.node, operand=True) == "a"

    def test_a_range_without_syntax_declines(self):
        with pytest.raises(Declined):
            _ = self.at(9, 12).node

    def test_names_use_the_imports_that_are_there(self):
        correction = self.at(8, 13)
        assert correction.name("torch.nn.functional.pad") == "F.pad"
        assert correction.name("torch.where") == "torch.where"
        assert [edit.text for edit in correction.edits] == ["import torch\n"]

    def test_remove_leaves_pass_in_an_empty_block(self):
        source = "if a:\n    b  # c\nd\n"
        correction = Correction(Tree(source), Finding("m", 2, 5, 2, 6, "CS1", "n", "m"))
        correction.remove(correction.statement())
        assert apply(source, correction.group().edits) == "if a:\n    pass\nd\n"

    def test_insert_before_goes_below_the_comments(self):
        source = "if a:\n    # c\n    b\n"
        correction = Correction(Tree(source), Finding("m", 3, 5, 3, 6, "CS1", "n", "m"))
        correction.insert_before(correction.statement(), "x = 1")
        assert apply(source, correction.group().edits) == "if a:\n    # c\n    x = 1\n    b\n"


edits = st.builds(
    lambda start, length, text: Edit(start, start + length, text),
    st.integers(0, 20),
    st.integers(0, 5),
    st.text("xyz", max_size=3),
)


@given(st.lists(st.builds(lambda one: Group(tuple(one)), st.lists(edits, min_size=1, max_size=2))))
def test_compatible_groups_touch_different_characters(groups):
    groups = [
        g for g in groups if not any(a.overlaps(b) for a in g.edits for b in g.edits if a != b)
    ]
    chosen = [groups[index] for index in compatible(groups)]
    text = "".join(chr(65 + n) for n in range(26))
    merged = {edit for group in chosen for edit in group.edits}
    result = apply(text, sorted(merged))
    removed = sum(edit.end - edit.start for edit in merged)
    assert len(result) == len(text) - removed + sum(len(edit.text) for edit in merged)


@given(st.text("ab\n\r\x0c\u2028", max_size=30))
def test_lines_are_those_of_python(text):
    assert "".join(split_lines(text)) == text
    assert all(
        line.count("\n") + line.replace("\r\n", "").count("\r") <= 1 for line in split_lines(text)
    )
