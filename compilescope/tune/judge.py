"""What a trial came to, beside the program as it is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from compilescope.tune import agreement
from compilescope.tuning import Outcome, Outputs

if TYPE_CHECKING:
    from compilescope.model import Session
    from compilescope.tune.trials import Ran

_ENOUGH = 20  # steady calls, below which their median says little
_SLOWER = 2.0


def ended_well(session: Session) -> bool:
    """Whether the program came to its end, with whatever exit code."""
    return session.how in ("exited", "unknown")


def differs(base: Ran, found: Ran) -> str:
    """The first difference between what both computed, "" where they agree."""
    # A program that fails as it is can be compared up to there only.
    partly = not ended_well(base.session)
    return agreement.difference(base.notes.outputs, found.notes.outputs, partly=partly)


def outcome(base: Ran, found: Ran, difference: str, outputs: Outputs) -> tuple[Outcome, str]:
    """How good `found` is, and why."""
    if failed(base, found):
        if found.recorded.ended_by_us:
            return "unfinished", failure(found)
        return "failed", failure(found)
    if outputs == "differ":
        return "wrong", difference
    named = [text.partition(":")[0] for text in found.trial.refused]
    never = [text for text in named if text not in found.notes.applied]
    if never:
        return "refused", found.trial.refused[0]
    if found.candidates and not found.notes.applied:
        return (
            "refused",
            "nothing of it reached the program: no call of a compiled function was seen",
        )
    return _better(base, found), "; ".join(_remarks(base, found))


def failed(base: Ran, found: Ran) -> bool:
    """Whether the program ended otherwise than it does as it is."""
    if not ended_well(base.session):
        return not ended_well(found.session)
    return (found.session.how, found.session.code) != (base.session.how, base.session.code)


def _better(base: Ran, found: Ran) -> Outcome:
    before, after = base.trial.measures, found.trial.measures
    eager = after.eager_calls > 0
    if after.recompiles == 0 and after.fallbacks == 0 and not eager:
        return "solved"
    # What the limit refused is among the recompiles already.
    if after.recompiles > before.recompiles:
        return "worse"
    fewer = (after.recompiles, after.fallbacks) < (before.recompiles, before.fallbacks)
    return "better" if fewer else "no better"


def _remarks(base: Ran, found: Ran) -> list[str]:
    """What became worse, whatever became better."""
    before, after = base.trial.measures, found.trial.measures
    said = []
    if after.recompiles > before.recompiles:
        said.append(_more(after.recompiles - before.recompiles, "recompile"))
    if after.fallbacks > before.fallbacks:
        said.append("the limit was reached")
    if after.breaks > before.breaks:
        said.append(_more(after.breaks - before.breaks, "graph break"))
    enough = min(one.calls - one.compiles for one in (before, after)) >= _ENOUGH
    if enough and before.steady and after.steady and after.steady > before.steady * _SLOWER:
        said.append(f"steady calls {after.steady / before.steady:.1f} times as long")
    return said


def _more(count: int, what: str) -> str:
    return f"{count} more {what}{'s' * (count != 1)}"


def failure(found: Ran) -> str:
    """Why the program failed, in one line."""
    recorded = found.recorded
    if recorded.ended_by_us:
        return f"stopped after {recorded.limit:.0f} s"
    texts = [process.error for process in found.session.processes if process.error]
    if texts:
        return texts[0].strip().partition("\n")[0][:300]
    line = last_line(recorded.log)
    return line or f"{found.session.how}, exit code {found.session.code}"


def last_line(log: Path) -> str:
    """The last line that the program printed."""
    lines = log.read_text(errors="replace").strip().splitlines() if log.exists() else []
    return lines[-1][:300] if lines else ""
