"""Graph breaks in our own words, with what to write instead and what the break costs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from compilescope.diagnose.break_advice_table import TABLE
from compilescope.diagnose.break_advice_types import Advice, Fix
from compilescope.diagnose.explain_words import RESUME
from compilescope.diagnose.remedies import available
from compilescope.diagnosis import Remedy
from compilescope.logs.breaks import read_reasons
from compilescope.paths import is_library

if TYPE_CHECKING:
    from compilescope.model import Frame, GraphBreakKind, GraphBroke

# Words of PyTorch's own machinery, which mean nothing to who reads about their code.
_INTERNAL = re.compile(r"VariableTracker|\btp_\w+|\bpython_type\b|Dynamo bug|bytecode")
_NO_ADVICE = re.compile(r"report an issue|This graph break is fundamental|may have been caused by")
_BLOCKS = {
    "loop": re.compile(r"in loop|loop$"),
    "`with` block": re.compile(r"ContextWrapping|[Cc]ontext [Mm]anager"),
}
_LOGGING = re.compile(r"[/\\]logging[/\\]__init__\.py$")
_LOGS = "GB0291"  # a call of a logger's method
# These end a function wherever they stand.
_NEVER_RESUMED = frozenset({"GB0088", "GB0069", "GB0142", "GB0811", "GB0014", "GB0015", "GB4841"})


def advise(
    event: GraphBroke,
    torch: tuple[int, int] | None,
    *,
    whole_frame: bool = False,
    had_graphs: bool = False,
    rest_of: int | None = None,
    owner: Frame | None = None,
    known: GraphBreakKind | None = None,
) -> tuple[str, tuple[Remedy, ...]]:
    """Why the graph breaks here and what it costs, and the fixes that `torch` has.

    Args:
        event: The break.
        torch: The version that broke the graph, None where unknown.
        whole_frame: The function runs eagerly.
        had_graphs: Other inputs of it were compiled.
        owner: The compiled function, where the break's frame is not in it.
        rest_of: The line of an earlier break, where this one is in what follows it.
        known: What the installed torch itself says of this kind.

    Returns:
        The explanation and the remedies; in PyTorch's words for a kind that we have none for.
    """
    why, fixes = words_on(event, torch, known)
    chain = _chain(event)
    cost = consequence(whole_frame, owner or event.frame, had_graphs=had_graphs, rest_of=rest_of)
    if not whole_frame and _is_below(event):
        cost = "The graph ends here; what follows becomes a second graph, with Python between."
    block, extra = _why_not_resumed(event) if whole_frame and not chain else ("", ())
    parts = (why, chain, block, cost)
    return " ".join(part for part in parts if part), (*fixes, *extra)


def words_on(
    event: GraphBroke, torch: tuple[int, int] | None, known: GraphBreakKind | None = None
) -> tuple[str, tuple[Remedy, ...]]:
    """What is not captured and why, and the fixes, without what it costs."""
    library = _library(event)
    if library:
        return library, ()
    kind = "" if event.type == "unknown" else event.type
    # What the logging module calls inside is no business of who logs.
    inside = event.stack and _LOGGING.search(event.stack[-1].path)
    advice = _find(_LOGS, kind, "log") if inside else _find(event.gb_id, kind, _facts(event))
    if advice is not None:
        fixes = (_remedy(fix, event.frame) for fix in advice.fixes)
        return advice.why, available(fixes, torch)
    if not (kind or event.explanation):
        return "The log does not say why this line cannot be captured.", ()
    told = event.explanation or (known.explanation if known else "")
    if not told or _INTERNAL.search(told):
        told = f"PyTorch cannot capture this line: {kind[:1].lower()}{kind[1:]}."
    first = told.strip().partition("\n")[0].rstrip()
    if first and first[-1] not in ".!?:":
        first += "."
    hints = event.hints or (known.hints if known else ())
    texts = [hint for hint in hints if not _NO_ADVICE.search(hint) and not _INTERNAL.search(hint)]
    return first, tuple(Remedy(id="hint", text=hint.strip().rstrip(".")) for hint in texts[:2])


def consequence(
    whole_frame: bool, frame: Frame, *, had_graphs: bool = False, rest_of: int | None = None
) -> str:
    """What the break costs: a second graph, or the whole function."""
    resumed = RESUME.search(frame.function)
    name = resumed["function"] if resumed else frame.function
    function = f"`{name}`" if name and name != "<module>" else "the function"
    if whole_frame and had_graphs:
        # Dynamo marks the code as one to skip, before it looks for a graph that fits.
        return f"From here on {function} runs eagerly for every input, also where it has a graph."
    if whole_frame and rest_of is not None:
        return f"Nothing of {function} after the break at line {rest_of} is compiled."
    if whole_frame:
        return f"Nothing of {function} is compiled: it runs eagerly as a whole."
    return (
        f"The graph ends here; the rest of {function} becomes a second graph, with Python between."
    )


def _is_below(event: GraphBroke) -> bool:
    """Whether a library breaks below the user's line: whose rest it is the text alone hides."""
    inside = event.stack and is_library(event.stack[-1].path)
    return bool(inside) and not is_library(event.frame.path)


def _chain(event: GraphBroke) -> str:
    """The second break, where going on after the first led to another."""
    if not event.cause:
        return ""
    later = [found for found in read_reasons(event.reason) if found.type != event.cause]
    if not later:
        return ""
    number = f" ({later[-1].gb_id})" if later[-1].gb_id else ""
    block = next((name for name, found in _BLOCKS.items() if found.search(later[-1].type)), "")
    if block:
        return f"It lies inside a {block}{number}, in which a graph cannot be taken up again."
    kind = later[-1].type[:1].lower() + later[-1].type[1:]
    return f"Going on after it met a second break{number}: {kind}."


def _why_not_resumed(event: GraphBroke) -> tuple[str, tuple[Remedy, ...]]:
    """A break that PyTorch could have gone on after, but for the block around it."""
    if not event.reason.startswith("Failed to handle graph break gracefully") or (
        event.gb_id in _NEVER_RESUMED
    ):
        return "", ()
    text = (
        "It lies inside a loop or a `with` or `try` block, where a graph cannot be taken up again."
    )
    out = Remedy(id="move_out", text="Or move the line out of the loop, `with` or `try` block")
    return text, (out,)


def _library(event: GraphBroke) -> str:
    """A call to `graph_break()` that is a library's own."""
    innermost = event.stack[-1] if event.stack else event.frame
    if event.gb_id != "GB0025" and "graph_break()" not in event.type + innermost.code:
        return ""
    if not is_library(innermost.path):
        return ""
    if re.search(r"[/\\]torch[/\\]optim[/\\]", innermost.path):
        return (
            "PyTorch's optimizers end the graph on purpose where `step` begins: the step is then "
            "compiled on its own. There is nothing to fix."
        )
    package = re.search(r"-packages[/\\](\w+)", innermost.path)
    owner = f"`{package[1]}`" if package else "A library"
    return f"{owner} ends the graph on purpose, at line {innermost.line} of `{innermost.function}`."


def _facts(event: GraphBroke) -> str:
    """What is particular to this break; hints and examples name what its kind can be."""
    kept = [line for line in event.reason.splitlines() if not line.lstrip().startswith("Hint:")]
    text = re.sub(r"\(e\.g\.[^)]*\)", "", "\n".join(kept))
    builtins = [f"module: {name}" for name in re.findall(r"builtin `([\w.]+?)\.?`", text)]
    return "\n".join((text, *builtins, event.context, event.frame.path, event.frame.code))


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
