"""CS135: an environment variable set in compiled code."""

from __future__ import annotations

from collections.abc import Iterator

from compilescope.lint.rule import Fact, Report, Rule, Versions

METHODS = ("update", "setdefault", "pop")


class EnvironmentWrite(Rule):
    """An environment variable set in compiled code."""

    code = "CS135"
    name = "environment-write"
    summary = "an environment variable set in compiled code"
    gb_ids = ("GB0007",)
    reason = "Changing the environment is not traced."
    help = "do it outside the compiled function"

    facts = ("store-index", "delete-index", *(f"call:os.environ.{n}" for n in METHODS))

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report the place."""
        del target
        if fact.key.startswith("call:") or fact.value.data == "os.environ":
            yield Report()
