"""Diagnoses of each kind, and golden files that `UPDATE_GOLDEN=1` writes anew."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from compilescope import __version__
from compilescope.diagnose import diagnose
from compilescope.diagnosis import Diagnosis
from compilescope.model import Gap, Session

DATA = Path(__file__).parents[1] / "data"
GOLDEN = Path(__file__).parents[1] / "golden"
RECORDED = (
    "shapes",
    "ints",
    "breaks",
    "limit",
    "training",
    "ranks",
    "several",
    "nothing",
    "failed",
    "clean",
)
KINDS = (*RECORDED, "empty", "truncated")


@pytest.fixture(scope="session")
def diagnoses() -> dict[str, Diagnosis]:
    found = {
        name: msgspec.json.decode(
            (DATA / "diagnoses" / f"{name}.json").read_bytes(), type=Diagnosis
        )
        for name in RECORDED
    }
    found["empty"] = diagnose(Session())
    found["truncated"] = msgspec.structs.replace(
        found["ints"],
        ended="killed by SIGKILL",
        incomplete=(
            Gap("records that could not be read", 3, 0.012, "the file ends inside a record"),
            Gap("lines that were not understood", 1),
        ),
    )
    return found


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """A folder and a home that the recorded paths lie in, whoever runs the tests."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/home/user")


@pytest.fixture
def golden():
    def check(name: str, text: str) -> None:
        for around in ("compilescope {}", '"version": "{}"'):
            text = text.replace(around.format(__version__), around.format("VERSION"))
        path = GOLDEN / name
        if os.environ.get("UPDATE_GOLDEN"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="")
        assert text == path.read_text(encoding="utf-8"), "UPDATE_GOLDEN=1 writes it anew; read it"

    return check
