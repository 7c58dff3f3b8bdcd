"""CS112: a warning in compiled code."""

from __future__ import annotations

from compilescope import wording
from compilescope.lint.rule import GuardedCall


class WarningCall(GuardedCall):
    """A warning in compiled code."""

    code = "CS112"
    name = "warning-call"
    summary = "a warning in compiled code"
    names = {
        "warnings.warn": "",
        "warnings.warn_explicit": "",
        "warnings.simplefilter": "",
        "warnings.filterwarnings": "",
        "warnings.catch_warnings": "",
    }
    kept = frozenset(
        {"warnings.simplefilter", "warnings.filterwarnings", "warnings.catch_warnings"}
    )
    gb_ids = ("GB0007",)
    reason = wording.WARN
    help = f"{wording.USE_GUARD}: `if not torch.compiler.is_compiling():`"
