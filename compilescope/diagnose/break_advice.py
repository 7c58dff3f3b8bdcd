"""Graph breaks in our own words, with what to write instead and what the break costs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from compilescope.diagnose.break_advice_table import TABLE
from compilescope.diagnose.break_advice_types import Advice, Fix
from compilescope.diagnose.explain_words import RESUME
from compilescope.diagnose.remedies import available
from compilescope.diagnosis import Remedy

if TYPE_CHECKING:
    from compilescope.model import Frame


def advise(
    gb_id: str,
    type: str,  # noqa: A002
    reason: str,
    context: str,
    whole_frame: bool,
    frame: Frame,
    torch: tuple[int, int] | None,
) -> tuple[str, tuple[Remedy, ...]]:
    """Why the graph breaks here and what it costs, and the fixes that `torch` has.

    Args:
        gb_id: PyTorch's id, "" in logs of a torch before 2.8.
        type: PyTorch's name of the kind.
        reason: The text as logged.
        context: PyTorch's developer debug context.
        whole_frame: Nothing of the function is compiled.
        frame: The user's line.
        torch: The version that broke the graph, None where unknown.

    Returns:
        The explanation and the remedies; "" and none for a kind that we have no words for.
    """
    advice = _find(gb_id, type, _facts(reason, context, frame))
    if advice is None:
        return "", ()
    fixes = available((_remedy(fix, frame) for fix in advice.fixes), torch)
    return f"{advice.why} {consequence(whole_frame, frame)}", fixes


def consequence(whole_frame: bool, frame: Frame) -> str:
    """What the break costs: a second graph, or the whole function."""
    resumed = RESUME.search(frame.function)
    name = resumed["function"] if resumed else frame.function
    function = f"`{name}`" if name and name != "<module>" else "the function"
    if whole_frame:
        return f"Nothing of {function} is compiled: it runs eagerly as a whole."
    return (
        f"The graph ends here; the rest of {function} becomes a second graph, with Python between."
    )


def _facts(reason: str, context: str, frame: Frame) -> str:
    """What is particular to this break; hints and examples name what its kind can be."""
    kept = [line for line in reason.splitlines() if not line.lstrip().startswith("Hint:")]
    text = re.sub(r"\(e\.g\.[^)]*\)", "", "\n".join(kept))
    builtins = [f"module: {name}" for name in re.findall(r"builtin `([\w.]+?)\.?`", text)]
    return "\n".join((text, *builtins, context, frame.path, frame.code))


def _find(gb_id: str, type_: str, text: str) -> Advice | None:
    by_id = bool(gb_id) and any(gb_id in advice.ids for advice in TABLE)
    fitting = [
        advice
        for advice in TABLE
        if (gb_id in advice.ids if by_id else re.search(advice.type, type_ or text))
    ]
    special = (one for one in fitting if one.about and re.search(one.about, text))
    general = (one for one in fitting if not one.about)
    return next(special, None) or next(general, None)


def _remedy(fix: Fix, frame: Frame) -> Remedy:
    line = frame.code.strip()
    needs_line = "{code}" in fix.snippet
    snippet = fix.snippet.replace("{code}", line) if line or not needs_line else ""
    return Remedy(
        id=fix.id,
        text=fix.text,
        snippet="" if needs_line and not _is_statement(line) else snippet,
        since=fix.since,
        until=fix.until,
        price=fix.price,
        limits=fix.limits,
    )


def _is_statement(line: str) -> bool:
    """Whether `line` can stand in a block as it is: an import or a call, complete on its line."""
    if re.match(r"^(import [\w.]+|from [\w.]+ import [\w, ]+)$", line):
        return True
    return bool(re.match(r"^[\w.]+\(.*\)$", line)) and line.count("(") == line.count(")")
