"""CS133: an import in compiled code that may fail."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from compilescope.lint.hoisting import import_can_move
from compilescope.lint.rule import Fact, Report, Rule, Versions

if TYPE_CHECKING:
    from compilescope.lint.edits import Correction

PRESENT = frozenset((*sys.stdlib_module_names, "torch", "numpy"))


def imported_tops(fact: Fact) -> set[str]:
    """Packages that the module imports at its top, and its own."""
    module = fact.site.module
    found = {module.package[0]} if module.package else set()
    for node in module.tree.body:
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.partition(".")[0])
    return found


class OptionalImport(Rule):
    """An import in compiled code that may fail."""

    code = "CS133"
    name = "optional-import"
    summary = "an import in compiled code that may fail"
    gb_ids = ("GB0069",)
    severity = "eager"
    certainty = "likely"
    reason = "An import that fails while tracing makes the whole function run eagerly."
    help = "import at module level and test a flag"

    fixable = "unsafe"
    facts = ("import",)

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        if not fact.site.guarded:
            return
        if isinstance(fact.node, ast.ImportFrom):
            names = [] if fact.node.level else [fact.node.module or ""]
        else:
            names = [alias.name for alias in fact.node.names]  # type: ignore[attr-defined]
        for name in names:
            top = name.partition(".")[0]
            if top not in PRESENT and top not in imported_tops(fact):
                yield Report(fix="unsafe" if import_can_move(fact) else "")
                return

    def fix(self, correction: Correction) -> None:
        """Try the import once, when the module is imported."""
        from compilescope.lint.moving import move_import

        move_import(correction)
