"""Programs corrected by lint, and held against what they were."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from compilescope.lint.check import Checked
from compilescope.lint.engine import lint_source, load_rules
from compilescope.lint.fixing import Corrector
from compilescope.lint.source import Source

CHILD = Path(__file__).with_name("compare_child.py")


@pytest.fixture(scope="session")
def fixed():
    """`fixed(text)`: `text` after `--fix --unsafe-fixes`."""
    rules = {rule.code: rule() for rule in load_rules()}

    def again(sources):
        options = {"compiled": ("make()",), "target_torch": (2, 13), "follow": False}
        return Checked(tuple(lint_source(sources["m.py"].text, "m.py", **options)))

    def correct(text):
        sources = {"m.py": Source(Path("m.py"), text)}
        return Corrector(rules).run(sources, again, unsafe=True).sources["m.py"].text

    return correct


@pytest.fixture
def differing(tmp_path):
    """`differing(pairs)`: the (before, after) programs that compute something else, or break."""

    def compare(pairs):
        names = []
        for index, pair in enumerate(pairs):
            for side, text in zip(("before", "after"), pair, strict=True):
                path = tmp_path / f"{side}{index}.py"
                path.write_text(text)
                names.append(str(path))
        done = subprocess.run(
            [sys.executable, str(CHILD), *names], capture_output=True, text=True, check=True
        )
        lines = map(json.loads, done.stdout.splitlines())
        return [(name, line) for name, line in zip(names[1::2], lines, strict=True) if line]

    return compare
