"""Variations beyond sizes: one program of many small functions, explored and warmed up once."""

from __future__ import annotations

import pytest

from compilescope import store

pytestmark = [pytest.mark.torch, pytest.mark.slow]

PROGRAM = """
import torch

@torch.compile(backend="eager")
def kept(x):  # the mask ends the graph: how many rows are left decides about the next one
    rows = x[x.sum(1) > 0]
    return rows * 2

@torch.compile(backend="eager", dynamic=True)
def sliced(x):
    return x + 1

@torch.compile(backend="eager")
def flagged(x, mask=None, *, scale=True):
    x = x if mask is None else x * mask
    return x * 2 if scale else x * 3

@torch.compile(backend="eager")
def listed(items):
    return sum(item.sum() for item in items)

@torch.compile(backend="eager")
def keyed(batch):
    return sum(value.sum() for value in batch.values())

@torch.compile(backend="eager")
def carried(state):
    return state[0, "conv"].sin()

@torch.compile(backend="eager")
def numbered(x, factor):
    return x * 2 if factor > 0.5 else x

@torch.compile(backend="eager")
def still(x):
    return x.cos()

@torch.compile(backend="eager")
def unvaried(x, items, names, scale=2, deep=False, bias=None, unused=None):
    x = x if bias is None else x + bias
    x = x + sum(items) + sum(names.values())
    return x * scale if not deep else x

net = torch.nn.Dropout()
moded = torch.compile(net, backend="eager")
x = torch.arange(12.0).reshape(3, 4) - 5

kept(x)
for width in (7, 9):
    sliced(torch.zeros(4, width)[:, :3])
flagged(x)
flagged(x, x > 0)
flagged(x, scale=False)
listed([x, x])
listed([x] * 4)
keyed({"a": x, "b": x + 1})
keyed({"a": x, "c": x + 1})
carried({(0, "conv"): x})
carried({(0, "conv"): torch.zeros(9, 4)})
numbered(x, 0.0)
numbered(x, 1.0)
still(x)
unvaried(x, [x, x], {"a": x, "b": x}, scale=2)
moded(x)
net.eval()
with torch.no_grad():
    moded(x)
print("done")
"""


@pytest.fixture(scope="module")
def made(foretold, tmp_path_factory):
    folder = tmp_path_factory.mktemp("variations")
    done = foretold(folder, PROGRAM, "--emit", "warmup.py")
    return done, store.load(folder / "out.cscope.json")


def special(session, name):
    """The changes of each input that would recompile `name`."""
    (number,) = (place for place, one in enumerate(session.callables) if one.name.endswith(name))
    return [
        {(change.kind, change.source): change.value for change in call.changes}
        for call in session.forecast.calls
        if call.callable == number and call.what == "graph" and not call.error
    ]


def fixed(session, name):
    """What of `name` has not varied though a guard fixes it."""
    (number,) = (place for place, one in enumerate(session.callables) if one.name.endswith(name))
    return [one for one in session.forecast.fixed if one.callable == number]


def test_the_contents_decide_where_code_runs_between_graphs(made):
    assert {kind for each in special(made[1], "kept") for kind, _ in each} == {"contents"}


def test_a_slice_of_a_larger_tensor_of_another_size(made):
    found = special(made[1], "sliced")
    named = [change for call in made[1].forecast.calls for change in call.changes
             if call.what in ("graph", "general") and change.kind == "layout"]  # fmt: skip
    assert all(kind in ("size", "layout") for each in found for kind, _ in each)
    assert all(change.value == "a slice of a tensor of another size" for change in named)


def test_arguments_that_came_apart_come_together(made):
    found = special(made[1], "flagged")
    together = [{("value", "scale"): "False"}, {("value", "mask"): "a tensor of bool"}]
    assert any(each in found for each in together)


def test_lists_of_lengths_that_never_came(made):
    lengths = {each.get(("structure", "items")) for each in special(made[1], "listed")}
    assert {"3 items", "5 items", "1 item"} <= lengths


def test_keys_that_came_in_other_sets(made):
    found = [each[("structure", "batch")] for each in special(made[1], "keyed")]
    assert "keys a, b, c" in found
    assert "keys a" in found


def test_keys_that_are_tuples(made):
    found = special(made[1], "carried")
    assert {("size", "state[(0, 'conv')]"): "1"} in found


def test_numbers_between_those_that_came(made):
    counted = special(made[1], "numbered")
    assert all(set(each) == {("value", "factor")} for each in counted)


def test_modes_that_came_together_come_apart(made):
    sources = {source for each in special(made[1], "Dropout") for _, source in each}
    assert sources <= {"training", "grad mode"}
    assert sources


def test_what_never_varied_is_named_and_not_counted(made):
    done, session = made
    assert special(session, "still") == []
    still = next(one for one in session.forecast.callables if one.name == "still")
    assert still.fixed[:3] == ("x.shape[0]", "x.shape[1]", "layout of x")
    assert {"grad mode", "requires_grad of x"} <= set(still.fixed)
    rows = next(one for one in fixed(session, "still") if one.dimension == 0)
    assert (rows.source, rows.held, rows.values) == ("x", "3", ("7", "1", "0"))
    assert rows.graphs == 3
    assert "x.shape[0], so far 3: 3 graphs for 7, 1 and 0" in done.stdout


def test_flags_numbers_and_lengths_that_have_not_varied(made):
    held = {(one.kind, one.source): one.values for one in fixed(made[1], "unvaried")}
    assert held["value", "scale"][0] == "3"
    assert held["value", "deep"] == ("True",)
    assert held["value", "bias"] == ("anything else",)
    assert ("value", "unused") not in held
    assert held["structure", "items"] == ("3 items", "1 item")
    assert "keys a, b, another key" in held["structure", "names"]
    assert held["mode", "grad mode"] == ("off",)
    assert special(made[1], "unvaried") == []


def test_the_warm_up_covers_all_of_it(made):
    done, session = made
    warm = session.forecast.warmup
    assert warm.error == ""
    assert warm.left == 0
    assert all(call.covered for call in session.forecast.calls if call.what == "graph")
    # Its seconds decide where the line is broken.
    assert "proved by a run: nothing compiled after it" in " ".join(done.stdout.split())
