"""What a service gets with the import: torch when a name is used, and nothing else of ours."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest.importorskip("torch")

PROGRAM = """
import sys
import compilescope.mitigations as mitigations
print("torch" in sys.modules)
for name in mitigations.__all__:
    getattr(mitigations, name)
others = "click", "rich", "msgspec", "jinja2", "libcst", "textual", "pathspec", "fsspec"
print([name for name in others if name in sys.modules])
"""


def test_it_needs_torch_only():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
    )
    assert done.stdout.split("\n")[:2] == ["False", "[]"]


def test_other_names_are_no_attributes():
    from compilescope import mitigations

    with pytest.raises(AttributeError, match="nothing"):
        _ = mitigations.nothing
    assert "background_compile" in dir(mitigations)
