"""CS154: a NumPy function that is not traced."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions
from compilescope.lint.torch_table import NUMPY

TYPES = frozenset("ndarray dtype errstate seterr printoptions testing typing".split())


class NumpyUnsupported(Rule):
    """A NumPy function that is not traced."""

    code = "CS154"
    name = "numpy-unsupported"
    summary = "a NumPy function that is not traced"
    gb_ids = ("GB0294",)
    reason = "NumPy is traced through torch, and torch has no such function."
    help = "use a torch function"

    facts = ("package:numpy",)

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        owner, _, name = fact.detail.rpartition(".")
        if owner == "numpy" and name not in NUMPY and name not in TYPES and not name[:1].isupper():
            yield Report(f"`np.{name}` has no counterpart in torch")
