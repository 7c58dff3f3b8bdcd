"""The published JSON schemas; `python -m compilescope.reports.schemas` writes them anew."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec

from compilescope.benching import BENCHING_VERSION, Benching
from compilescope.comparison import COMPARISON_VERSION, Comparison
from compilescope.diagnosis import DIAGNOSIS_VERSION, Diagnosis
from compilescope.model import SESSION_VERSION, Session

FOLDER = Path(__file__).parent / "schema"
SCHEMAS: dict[str, type[msgspec.Struct]] = {
    f"session-v{SESSION_VERSION}.json": Session,
    f"diagnosis-v{DIAGNOSIS_VERSION}.json": Diagnosis,
    f"benching-v{BENCHING_VERSION}.json": Benching,
    f"comparison-v{COMPARISON_VERSION}.json": Comparison,
}


def schema(name: str) -> str:
    """The text of the schema file `name`."""
    kind = SCHEMAS[name]
    content: dict[str, Any] = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"compilescope {kind.__name__.lower()}",
        **msgspec.json.schema(kind),
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for file in SCHEMAS:
        (FOLDER / file).write_text(schema(file), encoding="utf-8")
