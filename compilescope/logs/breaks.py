"""The text of one graph break, in every form that PyTorch 2.0 to 2.13 gives it.

The text log and the structured trace (artifact `dynamo_graph_break_reason`) carry the same text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from compilescope.logs.old_breaks import modern_type
from compilescope.logs.stacks import own_frame, read_stack
from compilescope.model import Frame, GraphBroke

_HEAD = re.compile(
    r"^(?:Graph break(?P<note> \([^)]*\))? in user code at (?P<path>.+?):(?P<line>\d{1,9})"
    r"|Unsupported break in user code at (?P<path2>.+?):(?P<line2>\d{1,9})(?P<note2> \([^)]*\)))"
    r"\s*$"
)
_OLD_HEAD = re.compile(
    r"^Graph break: (?P<reason>.*?)\s*from user code at:?(?P<rest>.*)$", re.DOTALL
)
_NO_RESUME = re.compile(r"^Graph break: torch\.compile cannot properly resume")
_REASON = re.compile(r"^(?:Graph Break )?Reason: ?(.*)$")
_CHAIN = "*** While handling this graph break, another graph break occurred: ***"
_GAVE_UP = re.compile(r"^Failed to handle graph break gracefully\.")
_LEAD = re.compile(
    r"^(?:Encountered (?:intentional |debugging )*graph break"
    r"|Failed to handle graph break gracefully)"
)
_CLASS = re.compile(r"^(?:torch\._dynamo\.exc\.)?(?:Unsupported|UserError): ")
_FIELD = re.compile(
    r"^ {0,3}(?P<name>Explanation|Hint|Developer debug context|Higher Order Operator):(?P<text>.*)$"
)
_LINK = re.compile(r"^\s*For more details about this graph break, please visit:\s*(?P<url>\S*)")
_GB_ID = re.compile(r"/gb(\d+)(?:\.html)?\b", re.IGNORECASE)
_TRACEBACK = "User code traceback:"
_ATTRIBUTION = "Stack variable source attribution:"
_INTERNAL = re.compile(
    r"^(?:Traceback \(most recent call last\):|NoneType: None"
    r"|NOTE: the most recent `torch\.compile`|Most recent bytecode instructions traced)"
)
_USER_CODE = re.compile(r"\n\s*from user code:")
_SKIPPED = re.compile(r"skip tracing the frame (\S+) \((.+) line (\d{1,9})\)")
_RAISED = re.compile(
    r"^torch\._dynamo\.exc\.(?:Unsupported|UserError): (.*)", re.DOTALL | re.MULTILINE
)


@dataclass
class Reason:
    """Why the compiler stopped: one block of PyTorch's message."""

    type: str = ""
    gb_id: str = ""
    explanation: str = ""
    hints: list[str] = field(default_factory=list)
    context: str = ""


@dataclass(frozen=True)
class _Told:
    """What the record's text says, before it is known which compile it is of."""

    reason: str
    stack: tuple[Frame, ...]
    place: Frame | None  # where no stack is given
    whole_frame: bool
    duplicate: bool = False


def parse_break(text: str, *, process: int, compile_id: str, at: float | None) -> GraphBroke | None:
    """The graph break that one log record tells of, `None` where it tells of none.

    A break in the wake of another has the first one's type and id, and names that type in `cause`.
    """
    told = _read(text.replace("\r\n", "\n").strip("\n").split("\n"))
    if told is None:
        return None
    blocks = read_reasons(told.reason)
    first = blocks[0] if blocks else Reason("unknown")
    return GraphBroke(
        process=process,
        compile_id=compile_id,
        type=first.type,
        frame=own_frame(told.stack) or told.place or Frame("", 0),
        at=at,
        gb_id=first.gb_id,
        reason=told.reason,
        explanation=first.explanation,
        hints=tuple(first.hints),
        context=first.context,
        stack=told.stack,
        whole_frame=told.whole_frame,
        duplicate=told.duplicate,
        cause=first.type if len(blocks) > 1 else "",
    )


def read_reasons(text: str) -> list[Reason]:
    """The blocks of a graph-break message: one, or several where one led to the next."""
    return [reason for block in text.split(_CHAIN) if (reason := _read_reason(block)).type]


def _read(lines: list[str]) -> _Told | None:
    if head := _HEAD.match(lines[0]):
        return _modern(head, lines[1:])
    if _NO_RESUME.match(lines[0]):
        return _cannot_resume(lines)
    if lines[0].startswith("Graph break: "):
        return _old(lines)
    return None


def _modern(head: re.Match[str], lines: list[str]) -> _Told:
    """2.6 and later: the place in the first line, the reason below, then the stack."""
    lines, _ = _above_internals(lines)
    split = next((i for i, line in enumerate(lines) if line.strip() == _TRACEBACK), len(lines))
    above = next((i for i, line in enumerate(lines[:split]) if line.strip() == _ATTRIBUTION), split)
    reason = lines[:above]
    if reason and (found := _REASON.match(reason[0])):
        reason[0] = found[1]
    text = "\n".join(reason).strip()
    note = head["note"] or head["note2"] or ""
    return _Told(
        reason=text,
        stack=read_stack(lines[split + 1 :]),
        place=Frame(head["path"] or head["path2"], int(head["line"] or head["line2"])),
        whole_frame=_GAVE_UP.match(text) is not None,
        duplicate="duplicate" in note or "suppressed" in note,
    )


def _cannot_resume(lines: list[str]) -> _Told:
    """The compiler gave up on the frame only after it had tried to go on."""
    lines, internals = _above_internals(lines)
    skipped = _SKIPPED.search("\n".join(lines[:3]))
    return _Told(
        reason=_raised(internals),
        stack=read_stack(lines),
        place=Frame(skipped[2], int(skipped[3]), skipped[1]) if skipped else None,
        whole_frame=True,
    )


def _old(lines: list[str]) -> _Told | None:
    """2.0 to 2.6: the reason stands in the first line, or only in the exception below."""
    lines, internals = _above_internals(lines)
    head = _OLD_HEAD.match("\n".join(lines))
    if head is None:
        return None
    reason = head["reason"].strip()
    skipped = reason.startswith("skip:")
    return _Told(
        reason=reason.removeprefix("skip:").strip() or _raised(internals),
        stack=read_stack(head["rest"].split("\n")),
        place=None,
        whole_frame=skipped,
    )


def _above_internals(lines: list[str]) -> tuple[list[str], list[str]]:
    """The lines about the user's code, and those about PyTorch's own below them."""
    end = next((i for i, line in enumerate(lines) if _INTERNAL.match(line)), len(lines))
    return lines[:end], lines[end:]


def _raised(internals: list[str]) -> str:
    """The message of the exception at the end of PyTorch's own stack."""
    found = _RAISED.search("\n".join(internals))
    return _USER_CODE.split(found[1], maxsplit=1)[0].strip() if found else ""


def _read_reason(block: str) -> Reason:
    lines = block.strip("\n").split("\n")
    start = _after_leads(lines)
    if start == len(lines):
        return Reason()
    reason = Reason(modern_type(_CLASS.sub("", lines[start].strip())))
    name, values = "", list[str]()
    for line in lines[start + 1 :]:
        link, found = _LINK.match(line), _FIELD.match(line)
        if link or found:
            _store(reason, name, values)
            name, values = (found["name"], [found["text"]]) if found else ("", [])
        if link:
            number = _GB_ID.search(link["url"])
            reason.gb_id = f"GB{number[1]}" if number else ""
        elif not found:
            values.append(line)
    _store(reason, name, values)
    return reason


def _after_leads(lines: list[str]) -> int:
    """The index of the first line that is not blank and not about what was being attempted."""
    index = 0
    while index < len(lines):
        if _LEAD.match(lines[index]):
            while index < len(lines) and lines[index].strip():
                index += 1
        elif lines[index].strip():
            break
        index += 1
    return min(index, len(lines))


def _store(reason: Reason, name: str, values: list[str]) -> None:
    text = "\n".join(line.strip() for line in values).strip()
    if name == "Explanation":
        reason.explanation = text
    elif name == "Hint":
        reason.hints.append(text)
    elif name == "Developer debug context":
        reason.context = text
