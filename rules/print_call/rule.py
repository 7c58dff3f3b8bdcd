"""CS110: printing in compiled code."""

from __future__ import annotations

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
    reason = (
        "Printing is Python at run time; the compiler cannot put it into a graph, so the "
        "graph ends here."
    )
    help = "guard it with `if not torch.compiler.is_compiling():`"
