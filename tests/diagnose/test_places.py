"""Causes point at the user's own code."""

from __future__ import annotations

import pytest

from compilescope.diagnose.places import Places
from compilescope.model import Compiled, Frame, GuardFailure, Recompiled, Session, Symbol

OWN = Frame("/home/u/project/net.py", 10, "forward")
PLACES = Places(
    Session(
        events=(
            Compiled(0, "0/0", OWN),
            Compiled(0, "1/0", Frame("/home/u/project/a/util.py", 1, "f")),
            Compiled(0, "2/0", Frame("/home/u/project/b/util.py", 1, "g")),
            Compiled(0, "3/0", Frame("/v/lib/python3.11/site-packages/torch/nn/linear.py", 1, "h")),
            Symbol(0, "0/0", "s0", "L['x'].size()[0]", frame=Frame(OWN.path, 12, "forward")),
        )
    )
)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/home/u/project/net.py", OWN.path),
        ("t/net.py", OWN.path),  # cut by PyTorch
        ("b/util.py", "/home/u/project/b/util.py"),
        ("util.py", None),  # two fit
        ("nn/modules/linear.py", None),  # what is left of torch's own path
        ("/v/lib/python3.11/site-packages/torch/optim/adam.py", None),
        ("<frozen os>", None),
    ],
)
def test_only_a_path_of_the_users_own_is_shown(path: str, expected: str | None):
    found = PLACES.own(Frame(path, 3, "f"))
    assert (found and found.path) == expected


def test_a_size_is_placed_where_it_was_first_used():
    event = Recompiled(0, "0/1", OWN)
    failure = GuardFailure("shape.zero_one", "", source="x", dimension=0, entry="0/0")
    assert PLACES.first_use(event, failure) == Frame(OWN.path, 12, "forward")
    assert PLACES.first_use(event, GuardFailure("const.int", "", source="n", entry="0/0")) is None
