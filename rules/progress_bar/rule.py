"""CS115: a progress bar in compiled code."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from compilescope.lint.rule import CallRule, Fact
from compilescope.lint.surroundings import parents

if TYPE_CHECKING:
    from compilescope.lint.edits import Correction


class ProgressBar(CallRule):
    """A progress bar in compiled code."""

    code = "CS115"
    name = "progress-bar"
    summary = "a progress bar in compiled code"
    names = {
        "tqdm.tqdm": "",
        "tqdm.trange": "",
        "tqdm.auto.tqdm": "",
        "tqdm.auto.trange": "",
        "tqdm.std.tqdm": "",
        "tqdm.std.trange": "",
        "tqdm.notebook.tqdm": "",
        "rich.progress.track": "",
    }
    gb_ids = ("GB0007", "GB0008")
    severity = "eager"
    reason = "The compiler does not trace this call, so the graph ends here."
    help = "iterate over the plain iterable in compiled code"
    fixable = "safe"

    def can_fix(self, fact: Fact) -> bool:
        """A loop over `tqdm(name or range)`: evaluating the iterable again changes nothing."""
        call = fact.node
        if not isinstance(call, ast.Call) or fact.name.endswith("range") or not call.args:
            return False
        loop = parents(fact).get(call)
        source = call.args[0]
        if isinstance(source, ast.Call):
            plain = isinstance(source.func, ast.Name) and source.func.id == "range"
            plain = plain and not any(
                isinstance(n, ast.Call) for a in source.args for n in ast.walk(a)
            )
        else:
            plain = isinstance(source, (ast.Name, ast.Attribute))
        return plain and isinstance(loop, ast.For) and loop.iter is call

    def fix(self, correction: Correction) -> None:
        """Iterate over the plain iterable while compiling."""
        import libcst as cst

        call = correction.node
        if not isinstance(call, cst.Call):
            correction.decline("the call is not written out")
        test = correction.name("torch.compiler.is_compiling")
        plain = correction.text(call.args[0].value)
        correction.replace(call, f"{plain} if {test}() else {correction.text(call)}")
