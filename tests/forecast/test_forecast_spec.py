"""The spec file: what it may say, and what is said about one that is wrong."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from compilescope.errors import InputError
from compilescope.forecast.spec import read_spec


def spec(tmp_path, text):
    path = tmp_path / "spec.toml"
    path.write_text(text)
    return read_spec(path)


def test_sizes_are_ranges(tmp_path):
    found = spec(tmp_path, '[arguments."batch[\'x\']"]\nshape = ["0|8..64", "*", 3]\n')
    assert found["arguments"]["batch['x']"]["shape"] == [[(0, 0), (8, 64)], None, [(3, 3)]]


def test_only_what_is_said_is_handed_on(tmp_path):
    found = spec(tmp_path, "[arguments.mask]\nnone = true\n[modes]\ngrad = [false]\n")
    assert found == {"arguments": {"mask": {"none": True}}, "modes": {"grad": [False]}}


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("[arguments.x]\nshapes = []\n", "shapes"),
        ('[arguments.x]\nshape = ["64..1"]\n', "ends before it begins"),
        ('[arguments.x]\nshape = ["many"]\n', "neither a size nor a range"),
        ("[modes]\ngrad = 3\n", "grad"),
        ("arguments = [", "TOML"),
    ],
)
def test_a_wrong_file_is_told_with_its_place(tmp_path, text, cause):
    with pytest.raises(InputError) as caught:
        spec(tmp_path, text)
    assert cause in f"{caught.value.message} {caught.value.cause}"


def test_the_example_of_the_readme(tmp_path):
    readme = (Path(__file__).parents[2] / "README.md").read_text()
    (text,) = re.findall(r"```toml\n(\[arguments.*?)```", readme, re.DOTALL)
    found = spec(tmp_path, text)
    assert found["arguments"]["ids"]["shape"] == [[(1, 64)], [(8, 8), (16, 512)]]
    assert found["arguments"]["batch['mask']"]["none"] is True


def test_a_missing_file_is_told(tmp_path):
    with pytest.raises(InputError, match="cannot read"):
        read_spec(tmp_path / "none.toml")
