"""CS110: printing in compiled code."""

from __future__ import annotations

from compilescope import wording
from compilescope.lint.rule import GuardedCall


class PrintCall(GuardedCall):
    """Printing in compiled code."""

    code = "CS110"
    name = "print-call"
    summary = "printing in compiled code"
    names = {
        "builtins.print": "",
        "builtins.input": "",
        "builtins.breakpoint": "",
        "pprint.pprint": "",
        "pprint.pp": "",
        "pdb.set_trace": "",
        "rich.print": "",
    }
    message = "`{name}` in compiled code"
    kept = frozenset({"builtins.input", "builtins.breakpoint", "pdb.set_trace"})
    gb_ids = ("GB0059", "GB0207")
    reason = wording.PRINT
    help = f"{wording.USE_GUARD}: `if not torch.compiler.is_compiling():`"
