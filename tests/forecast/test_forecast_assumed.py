"""What the user says may vary: a spec of every kind, and `--assume` of every kind."""

from __future__ import annotations

import pytest

from compilescope import store

pytestmark = [pytest.mark.torch, pytest.mark.slow]

PROGRAM = """
import torch

@torch.compile(backend="eager")
def typed(x):
    return x.sin()

@torch.compile(backend="eager")
def optional(x, bias=None, scale=2.0, deep=False):
    x = x if bias is None else x + bias
    return x.cos() if deep else x * scale

@torch.compile(backend="eager")
def contained(items, names):
    return sum(item.sum() for item in items) + sum(item.sum() for item in names.values())

x = torch.arange(12.0).reshape(3, 4)
typed(x)
optional(x, torch.ones(4), 2.0)
contained([x, x + 1], {"a": x + 2, "b": x + 3})
net = torch.nn.Dropout()
torch.compile(net, backend="eager")(x)
"""
SPEC = """
[arguments.x]
shape = ["3|8..16", "*"]
dtype = ["float64"]
layout = ["transposed", "sliced"]
requires_grad = [true]
[arguments.bias]
none = true
[arguments.scale]
values = [2.0, 4.5]
[arguments.deep]
values = [true]
[arguments.items]
length = "1..3"
[arguments.names]
optional = ["b"]
[modes]
grad = [true, false]
inference = [true]
training = [true, false]
autocast = ["off", "cpu:bfloat16"]
dtype = ["float32", "float64"]
"""


@pytest.fixture(scope="module")
def explored(foretold):
    def run(folder, *options):
        foretold(folder, PROGRAM, *options)
        return store.load(folder / "out.cscope.json")

    return run


@pytest.fixture(scope="module")
def spec(explored, tmp_path_factory):
    folder = tmp_path_factory.mktemp("spec")
    (folder / "spec.toml").write_text(SPEC)
    return explored(folder, "--spec", "spec.toml")


@pytest.fixture(scope="module")
def assumed(explored, tmp_path_factory):
    kinds = ("layouts", "values", "dtypes", "modes", "lengths")
    options = [part for kind in kinds for part in ("--assume", kind)]
    return explored(tmp_path_factory.mktemp("assumed"), *options)


def alone(session, name):
    """The values of each single thing that needs a graph of its own for `name`."""
    (number,) = (place for place, one in enumerate(session.callables) if one.name.endswith(name))
    found: dict[tuple[str, str], set[str]] = {}
    for call in session.forecast.calls:
        if call.callable == number and call.what == "graph" and len(call.changes) == 1:
            change = call.changes[0]
            assert call.graphs == 1
            found.setdefault((change.kind, change.source), set()).add(change.value)
    return found


def test_a_spec_of_types_layouts_and_gradients(spec):
    found = alone(spec, "typed")
    assert found["dtype", "x"] == {"float64"}
    assert found["layout", "x"] == {"transposed in memory", "a slice of a larger tensor"}
    assert "requires_grad=True" in found["mode", "x"]
    calls = [call for call in spec.forecast.calls if call.callable == 0 and call.what == "graph"]
    rows = {leaf.shape[0] for call in calls for leaf in call.leaves if leaf.shape}
    assert rows - {3}
    assert rows <= {3, *range(8, 17)}


def test_a_spec_of_arguments_that_may_be_none_or_another_number(spec):
    found = alone(spec, "optional")
    assert found["value", "bias"] == {"None"}
    assert found["value", "scale"] == {"4.5"}
    assert found["value", "deep"] == {"True"}


def test_a_spec_of_lengths_and_keys(spec):
    found = alone(spec, "contained")
    assert found["structure", "items"] == {"1 item", "3 items"}
    assert found["structure", "names"] == {"keys a"}


def test_a_spec_of_modes(spec):
    found = alone(spec, "Dropout")
    assert found["mode", "grad mode"] == {"off"}
    assert found["mode", "training"] == {"off"}
    assert found["mode", "autocast"] == {"cpu: torch.bfloat16"}
    assert found["mode", "default dtype"] == {"torch.float64"}


def test_each_kind_can_be_assumed(assumed):
    found = alone(assumed, "typed")
    assert found["layout", "x"] == {"transposed in memory", "a slice of a larger tensor"}
    assert "torch.float64" in found["dtype", "floating-point inputs"]
    assert found["mode", "grad mode"] == {"off"}
    assert found["mode", "autocast"] == {"cpu: torch.bfloat16"}
    numbers = alone(assumed, "optional")
    assert numbers["value", "deep"] == {"True"}
    assert numbers["value", "scale"] >= {"3.25"}
    assert alone(assumed, "contained")["structure", "items"] == {"1 item", "3 items"}


def test_what_is_assumed_is_counted_and_the_rest_stands_apart(assumed):
    kinds = {entry.kind for entry in assumed.forecast.fixed}
    assert kinds == {"size"}
