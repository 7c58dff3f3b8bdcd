"""CS114: a standard stream in compiled code."""

from __future__ import annotations

from compilescope.lint.rule import GuardedCall


class StandardStream(GuardedCall):
    """A standard stream in compiled code."""

    code = "CS114"
    name = "standard-stream"
    summary = "a standard stream in compiled code"
    names = {
        "sys.stdout.write": "",
        "sys.stdout.flush": "",
        "sys.stdout.writelines": "",
        "sys.stderr.write": "",
        "sys.stderr.flush": "",
        "sys.stderr.writelines": "",
        "contextlib.redirect_stdout": "",
        "contextlib.redirect_stderr": "",
        "faulthandler.dump_traceback": "",
        "traceback.print_exc": "",
        "traceback.print_stack": "",
    }
    kept = frozenset({"contextlib.redirect_stdout", "contextlib.redirect_stderr"})
    gb_ids = ("GB0156", "GB0142")
    reason = "The compiler does not trace this call, so the graph ends here."
    help = "guard it with `if not torch.compiler.is_compiling():`"
