"""CS111: logging in compiled code."""

from __future__ import annotations

from compilescope import wording
from compilescope.lint.rule import GuardedCall

METHODS = (
    "debug info warning warn error critical exception log warning_once info_once debug_once "
    "warning_advice isEnabledFor getEffectiveLevel setLevel"
)


class LoggingCall(GuardedCall):
    """Logging in compiled code."""

    code = "CS111"
    name = "logging-call"
    summary = "logging in compiled code"
    names = {
        **{f"logging.Logger.{name}": "" for name in METHODS.split()},
        **{f"logging.{name}": "" for name in METHODS.split() if name.islower()},
        "logging.getLogger": "",
    }
    kept = frozenset({"logging.getLogger"})
    gb_ids = ("GB0291", "GB4841", "GB6215")
    reason = wording.LOG
    help = f"{wording.USE_GUARD}: `if not torch.compiler.is_compiling():`"
