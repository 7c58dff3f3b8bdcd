"""CS131: a Decimal in compiled code."""

from __future__ import annotations

from compilescope.lint.rule import CallRule


class DecimalNumber(CallRule):
    """A Decimal in compiled code."""

    code = "CS131"
    name = "decimal-number"
    summary = "a Decimal in compiled code"
    names = {
        "decimal.Decimal": "",
    }
    gb_ids = ("GB0147",)
    severity = "raises"
    reason = "The compiler cannot trace Decimal; torch 2.13 even fails while trying."
    help = "use a float"
