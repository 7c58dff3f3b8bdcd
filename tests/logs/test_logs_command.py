"""`compilescope logs`, as its user calls it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from compilescope import store
from compilescope.commands.logs import command
from compilescope.errors import InputError, UsageError

TEXT = Path(__file__).parents[1] / "data" / "logs" / "torch213.txt"


def test_json_on_stdout():
    result = CliRunner().invoke(command, [str(TEXT), "--format", "json"], catch_exceptions=False)
    assert result.exit_code == 0
    assert json.loads(result.stdout)["counts"]["recompiles"] == 4


def test_a_pipe():
    result = CliRunner().invoke(
        command, ["-", "--format", "json"], input=TEXT.read_bytes(), catch_exceptions=False
    )
    assert json.loads(result.stdout)["counts"]["graph_breaks"] == 1


def test_the_session_is_saved(tmp_path):
    path = tmp_path / "run.cscope.json.gz"
    result = CliRunner().invoke(command, [str(TEXT), "-o", str(path)], catch_exceptions=False)
    assert result.exit_code == 0
    assert "saved" in result.stderr
    assert store.load(path).source == "logs"


@pytest.mark.parametrize(
    ("arguments", "error"),
    [(["nowhere.txt"], InputError), ([str(TEXT), "--format", "nonsense"], UsageError)],
)
def test_mistakes(arguments, error):
    with pytest.raises(error):
        CliRunner().invoke(command, arguments, catch_exceptions=False)
