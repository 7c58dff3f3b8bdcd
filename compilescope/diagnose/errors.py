"""What raised while compiling: PyTorch's message cut to what helps, and what to do about it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import structs

from compilescope.diagnose.break_advice import words_on
from compilescope.diagnose.explain_words import as_written
from compilescope.diagnose.remedies.sizes import ALIGNED, NO_PADDING, PADDING
from compilescope.logs.breaks import read_reasons
from compilescope.model import Errored, Frame, GraphBroke

if TYPE_CHECKING:
    from collections.abc import Container

    from compilescope.diagnosis import Remedy
    from compilescope.logs.breaks import Reason
    from compilescope.model import Session

_LONGEST = 8  # lines of PyTorch's own text
# What follows is a pointer to more output, or is told in our own words.
_TAIL = re.compile(
    r"^\s*(?:Hint: |Developer debug context|For more (?:details|information|debugging)"
    r"|User [Ss]tack|For extended logs|If you suspect|For C\+\+|Set TORCH|from user code)"
)
_MARKED = re.compile(
    r"You marked (?P<source>\S+?)\.size\(\)\[(?P<dim>\d+)\] as dynamic but your code "
    r"specialized it to be a constant \((?P<value>\d+)\)"
)
_RANGE = re.compile(
    r"Not all values of (?P<size>\S+\.size\(\)\[\d+\]).* satisfy the generated guard (?P<guard>.+)"
)
_UNBACKED = re.compile(r"Could not guard on data-dependent expression (?P<what>.+?) \(")
_FAKE = re.compile(r"got (?P<kind>\w+)\((?P<quote>['\"])(?P<text>.*?)(?P=quote)\)")
_LIMIT = re.compile(r"Hard failure due to (?P<why>fullgraph=True|fail_on_recompile_limit_hit)")


def tell(
    event: Errored, torch: tuple[int, int] | None, by_inductor: Container[str] = frozenset()
) -> str:
    """The error on its first line, and below it what it means and what to do.

    Args:
        event: What was raised.
        torch: The version that raised it, None where unknown.
        by_inductor: The sizes that inductor made constants, as `L['x'].size()[1]`.
    """
    lines = [_head(event), *_explained(event, torch, by_inductor)]
    return "\n".join(line for line in lines if line)


def ran_eagerly(session: Session) -> tuple[Errored, ...]:
    """Errors that nobody met: torch before 2.10 notes them where it leaves a function eager."""
    whole = any(item.options.get("fullgraph", "").lower() == "true" for item in session.callables)
    if whole or not session.callables:
        return ()
    return tuple(
        event
        for event in session.events
        if isinstance(event, Errored) and event.kind.rpartition(".")[2] == "Unsupported"
    )


def eager_breaks(session: Session) -> list[GraphBroke]:
    """The graph breaks that are told as such errors alone."""
    lines = {
        (event.frame.path, event.frame.line)
        for event in session.events
        if isinstance(event, GraphBroke)
    }
    found = []
    for event in ran_eagerly(session):
        reasons = read_reasons(event.text)
        if reasons and event.frame and (event.frame.path, event.frame.line) not in lines:
            found.append(structs.replace(_broke(event, reasons[0]), whole_frame=True))
    return found


def _head(event: Errored) -> str:
    kind = event.kind.rpartition(".")[2]
    named = kind and not event.text.startswith((event.kind, kind))
    where = f"{event.frame.path}:{event.frame.line}: " if event.frame else ""
    first = event.text.strip().partition("\n")[0].partition(" For more information, run")[0]
    return f"{where}{kind + ': ' if named else ''}{first}"


def _explained(
    event: Errored, torch: tuple[int, int] | None, by_inductor: Container[str]
) -> list[str]:
    text = event.text
    if match := _MARKED.search(text):
        size = f"{as_written(match['source'])}.shape[{match['dim']}]"
        if f"{match['source']}.size()[{match['dim']}]" in by_inductor:
            return _fixed_by_inductor(size, match["value"])
        why = (
            f"`{size}` was marked dynamic, but the code fixes it to {match['value']}: it meets a "
            "size that is constant there, of a weight or of another input."
        )
        fix = (
            "mark that other input too, or use `torch._dynamo.maybe_mark_dynamic`, which lets the "
            "size become a constant"
        )
    elif match := _RANGE.search(text):
        size, guard = (_as_shape(match[name]) for name in ("size", "guard"))
        why = f"`{size}` was marked for a range of sizes, and the code needs `{guard}`."
        fix = "mark the range that the code allows, or remove the branch on the size"
    elif match := _UNBACKED.search(text):
        why = f"The code decides by `{match['what']}`, a number that is known only at run time."
        fix = (
            "decide with `torch.where` or `torch.cond`, or promise the outcome with "
            "`torch._check(...)` before the branch"
        )
    elif match := _LIMIT.search(text):
        why = (
            f"A function reached its recompile limit; with `{match['why']}` that is an error "
            "instead of running eagerly."
        )
        fix = "remove the causes of its recompilations"
    elif match := _FAKE.search(text):
        why = (
            "PyTorch ran this line on stand-ins for the tensors, and it raised "
            f"{match['kind']}: {match['text']}"
        )
        fix = "call it without `torch.compile`, to see whether it fails there too"
    else:
        return _as_break(event, torch) or _rest(text)
    return [why, f"fix: {fix}"]


def _fixed_by_inductor(size: str, value: str) -> list[str]:
    why = (
        f"`{size}` was marked dynamic and your code leaves it so, but inductor fixed it to {value} "
        "while it compiled."
    )
    return [
        why,
        f"fix: {PADDING}\n  {NO_PADDING}",
        f"fix: {ALIGNED}",
    ]


def _as_shape(text: str) -> str:
    return re.sub(r"\.size\(\)\[(\d+)\]", r".shape[\1]", as_written(text))


def _as_break(event: Errored, torch: tuple[int, int] | None) -> list[str]:
    """A graph break under fullgraph=True: an error of the same kind, with the same ways out."""
    reasons = read_reasons(event.text)
    if event.kind.rpartition(".")[2] != "Unsupported" or not reasons:
        return []
    first = reasons[0]
    broke = _broke(event, first)
    why, remedies = words_on(broke, torch)
    number = f" ({first.gb_id})" if first.gb_id else ""
    return [
        f"A graph break{number} is an error where the whole function must be one graph. {why}",
        *(_fix(remedy) for remedy in remedies),
    ]


def _broke(event: Errored, reason: Reason) -> GraphBroke:
    return GraphBroke(
        process=event.process,
        compile_id=event.compile_id,
        type=reason.type,
        frame=event.frame or Frame("", 0),
        gb_id=reason.gb_id,
        reason=event.text,
        explanation=reason.explanation,
        hints=tuple(reason.hints),
        context=reason.context,
        stack=event.stack,
    )


def _fix(remedy: Remedy) -> str:
    code = "".join(f"\n  {line}" for line in remedy.snippet.splitlines())
    return f"fix: {remedy.text}{code}"


def _rest(text: str) -> list[str]:
    lines = text.strip().splitlines()[1:]
    end = next((i for i, line in enumerate(lines) if _TAIL.match(line)), len(lines))
    kept = [line for line in lines[:end] if line.strip()]
    return kept[:_LONGEST]
