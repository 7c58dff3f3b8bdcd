"""Seconds for people."""

from __future__ import annotations

import pytest

from compilescope.diagnose.verdict import duration


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (0.4e-6, "0 us"),
        (37e-6, "37 us"),
        (0.9996e-3, "1 ms"),
        (0.045, "45 ms"),
        (0.9994, "999 ms"),
        (0.9996, "1.0 s"),
        (12.34, "12.3 s"),
        (59.94, "59.9 s"),
        (59.96, "1 min 0 s"),
        (119.7, "2 min 0 s"),
        (3599.7, "1 h 0 min"),
        (7830, "2 h 10 min"),
    ],
)
def test_duration(seconds, text):
    assert duration(seconds) == text
