"""The published schemas are those of the types, and real output fits them."""

from __future__ import annotations

import json

import jsonschema
import msgspec
import pytest

from compilescope.packs import report

schemas = pytest.importorskip("compilescope.reports.schemas")


@pytest.mark.parametrize("name", schemas.SCHEMAS)
def test_schema_file_is_current(name):
    text = (schemas.FOLDER / name).read_text(encoding="utf-8")
    assert text == schemas.schema(name), "run python -m compilescope.reports.schemas"


def test_nothing_else_is_published():
    assert sorted(path.name for path in schemas.FOLDER.iterdir()) == sorted(schemas.SCHEMAS)


@pytest.mark.parametrize("name", schemas.SCHEMAS)
def test_schema_is_valid(name):
    jsonschema.Draft202012Validator.check_schema(json.loads(schemas.schema(name)))


def test_json_report_fits_its_schema(kind, diagnoses):
    text = report("json")(diagnoses[kind])
    jsonschema.validate(json.loads(text), json.loads(schemas.schema("diagnosis-v1.json")))
    assert msgspec.json.decode(text, type=type(diagnoses[kind])) == diagnoses[kind]
