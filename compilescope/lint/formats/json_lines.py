"""JSON, one finding a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from compilescope.lint.formats.json_array import record

if TYPE_CHECKING:
    from compilescope.lint.formats import Style
    from compilescope.lint.result import LintResult


def render(result: LintResult, style: Style) -> str:
    """One object a line."""
    del style
    encode = msgspec.json.encode
    return "".join(encode(record(f, result)).decode() + "\n" for f in result.findings)
