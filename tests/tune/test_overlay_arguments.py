"""Paths into arguments, and containers on the way to a changed part."""

from __future__ import annotations

from pathlib import Path

import pytest

import compilescope.probe

AGENT = Path(compilescope.probe.__file__).parent / "agent"
START = """
import torch
import torch._dynamo
from _compilescope_agent.overlay_arguments import Changes, replaced, split, walk
from _compilescope_agent.inputs import Names
"""


@pytest.fixture
def lines_of(monkeypatch, capsys):
    """What code that uses the agent prints, line by line."""
    pytest.importorskip("torch")
    monkeypatch.syspath_prepend(str(AGENT))

    def run(body):
        exec(START + body, {})
        return capsys.readouterr().out.splitlines()

    return run


@pytest.mark.torch
def test_containers_are_copied_and_the_caller_keeps_its_own(lines_of):
    lines = lines_of(
        "rows = {'a': [(1, torch.ones(2))]}\n"
        "new = replaced([rows], split(\"x[0]['a'][0][1]\")[1:], {'do': 'clone'})[0]\n"
        "print(new is rows, new['a'] is rows['a'], torch.equal(new['a'][0][1], rows['a'][0][1]))\n"
        "print(new['a'][0][1] is rows['a'][0][1])\n"
        "same = replaced([rows], split(\"x[0]['a'][0][0]\")[1:], {'do': 'clone'})[0]\n"
        "print(same is rows)\n"
    )
    assert lines == ["False False True", "False", "True"]


@pytest.mark.torch
def test_marks_change_the_tensor_that_is_there(lines_of):
    lines = lines_of(
        "x = torch.ones(4, 5)\n"
        "print(replaced(x, [], {'do': 'mark_unbacked', 'dimension': 1}) is x)\n"
        "print(x._dynamo_unbacked_indices)\n"
        "print(replaced(x, [], {'do': 'mark_dynamic', 'dimension': 7}) is x)\n"
    )
    assert lines == ["True", "{1}", "True"]


@pytest.mark.torch
def test_numbers_become_tensors_and_sizes_are_padded(lines_of):
    lines = lines_of(
        "print(repr(replaced(3, [], {'do': 'tensor'})))\n"
        "print(replaced('a', [], {'do': 'tensor'}))\n"
        "x = torch.ones(5, 3)\n"
        "print(tuple(replaced(x, [], {'do': 'pad', 'dimension': 0, 'multiple': 8}).shape))\n"
        "print(tuple(replaced(x, [], {'do': 'pad', 'dimension': 1, 'buckets': [2, 6]}).shape))\n"
    )
    assert lines == ["tensor(3)", "a", "(8, 3)", "(5, 6)"]


@pytest.mark.torch
def test_labels_are_padded_with_what_a_loss_leaves_out(lines_of):
    lines = lines_of(
        "pad = {'do': 'pad', 'dimension': 0, 'multiple': 4}\n"
        "numbers = torch.ones(3, dtype=torch.int64)\n"
        "for path, x in (('lm_labels', numbers), (\"batch['labels']\", numbers),\n"
        "                ('labels', numbers.float()), ('ids', numbers)):\n"
        "    print(replaced(x, [], {**pad, 'path': path})[3].item())\n"
    )
    assert lines == ["-100", "-100", "0.0", "0"]


@pytest.mark.torch
def test_arguments_that_a_wrapper_only_passes_on_are_reached(lines_of):
    lines = lines_of(
        "from types import SimpleNamespace\n"
        "def wrapper(a, *rest, **more): ...\n"
        "record = SimpleNamespace(applied=print, absent=print, note=print)\n"
        "paths = ('a', 'rest[1]', \"more['k']\", 'rest[4]', \"more['n']\")\n"
        "entries = [{'path': path, 'do': 'float'} for path in paths]\n"
        "overlay = SimpleNamespace(arguments=entries, attributes=[], modes=[], record=record)\n"
        "names = Names(wrapper.__code__, skip_first=False)\n"
        "changes = Changes(overlay, 'wrapper', names, None, wrapper)\n"
        "print(changes.apply((1, 2, 3), {'k': 4, 'b': 5}))\n"
    )
    assert lines[-1] == "((1.0, 2, 3.0), {'k': 4.0, 'b': 5})"
    assert lines[:-1] == ["float a", "float rest[1]", "float more['k']"]
