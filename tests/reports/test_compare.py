"""`compilescope compare` and its three forms."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import msgspec
import pytest

from compilescope import store
from compilescope.cli import cli
from compilescope.diagnose.compare import compare
from compilescope.errors import UsageError
from compilescope.packs import comparison

SESSIONS = Path(__file__).parents[1] / "data" / "sessions"
SCHEMA = Path(__file__).parents[2] / "reports" / "schema" / "comparison-v1.json"
PAIRS = [("shapes", "clean"), ("clean", "ints"), ("breaks", "shapes"), ("limit", "limit")]


@pytest.mark.parametrize("form", ["terminal", "markdown", "json"])
@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_golden(pair, form, diagnoses, golden):
    found = compare(*(diagnoses[name] for name in pair))
    suffix = {"terminal": "txt", "markdown": "md", "json": "json"}[form]
    golden(f"reports/comparison/{'-'.join(pair)}.{suffix}", comparison(form)(found, width=80))


def test_colour_changes_no_word(diagnoses):
    found = compare(diagnoses["shapes"], diagnoses["ints"])
    plain = comparison("terminal")(found, width=100)
    coloured = comparison("terminal")(found, width=100, color=True)
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured).split() == plain.split()
    assert coloured != plain


def test_json_fits_its_schema(diagnoses):
    text = comparison("json")(compare(diagnoses["shapes"], diagnoses["ints"]))
    jsonschema.validate(json.loads(text), json.loads(SCHEMA.read_text(encoding="utf-8")))


def test_escape_codes_in_a_session_do_not_reach_the_terminal(diagnoses):
    evil = msgspec.structs.replace(diagnoses["shapes"], name="\x1b]0;owned\x07")
    text = comparison("terminal")(compare(evil, diagnoses["clean"]))
    assert not set(text) & set("\x1b\x07")


def run(capsys, *arguments):
    cli.main(["compare", *map(str, arguments)], standalone_mode=False)
    return capsys.readouterr()


def test_command_prints_the_comparison(capsys):
    files = [SESSIONS / f"{name}.cscope.json.gz" for name in ("shapes", "clean")]
    out = run(capsys, *files)
    assert out.err == ""
    assert out.out.startswith("shapes.py → clean.py\nBetter: recompiles 7 to 0")
    assert json.loads(run(capsys, *files, "--format", "json").out)["status"] == "better"


def test_unknown_form_is_told_before_the_files_are_read():
    with pytest.raises(UsageError, match="unknown comparison format") as error:
        cli.main(["compare", "none", "none", "--format", "yaml"], standalone_mode=False)
    assert {"json", "markdown", "terminal"} <= set(
        error.value.hint.removeprefix("one of: ").split(", ")
    )


def test_a_run_with_itself_has_not_changed(diagnoses):
    for name, found in diagnoses.items():
        result = compare(found, found)
        assert result.status == "same", name
        assert all(item.change == "same" for item in result.items)


def test_pages_can_be_compared(tmp_path, capsys):
    session = SESSIONS / "ints.cscope.json.gz"
    page = tmp_path / "ints.html"
    cli.main(["report", str(session), "-o", str(page)], standalone_mode=False)
    assert store.load(page) == store.load(session)
    assert "No change" in run(capsys, session, page).out
