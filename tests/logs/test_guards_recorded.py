"""Reasons as torch 2.13 printed them, with what they must be read as."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compilescope.logs.guards import KINDS, parse_reason

RECORDED = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data/guards/torch_2_13.jsonl")
    .read_text()
    .splitlines()
]


@pytest.mark.parametrize(
    "record", RECORDED, ids=[f"{i}-{record['kind']}" for i, record in enumerate(RECORDED)]
)
def test_a_recorded_reason_is_read(record):
    failure = parse_reason(record["text"])
    fields = ("kind", "source", "dimension", "required", "observed")
    assert {name: getattr(failure, name) for name in fields} == {n: record[n] for n in fields}
    assert (failure.frame.line if failure.frame else None) == record["line"]
    assert failure.kind in KINDS
    assert failure.entry


def test_the_record_covers_most_of_the_vocabulary():
    assert len({record["kind"] for record in RECORDED}) > 70
