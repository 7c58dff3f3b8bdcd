"""CS110: print and its relatives."""

from __future__ import annotations

from compilescope.lint.rule import CallRule


class PrintCall(CallRule):
    """Printing needs the value while the graph is still being built."""

    code = "CS110"
    name = "print-call"
    summary = "`print` in compiled code"
    names = {
        "builtins.print": "",
        "pprint.pprint": "",
        "pprint.pp": "",
        "builtins.input": "",
        "builtins.breakpoint": "",
        "pdb.set_trace": "",
    }
    gb_ids = ("GB0059",)
    reason = "The compiler cannot put this call into a graph, so it ends the graph here."
    help = "guard it with `if not torch.compiler.is_compiling():`"
