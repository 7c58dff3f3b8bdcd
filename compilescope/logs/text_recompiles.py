"""The records of a text log that tell of recompilations and of the recompile limit."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from compilescope.logs.guards import parse_reason, split_reasons
from compilescope.model import Frame, GuardFailure

_HEAD = re.compile(
    r"Recompiling function (?P<function>.+?) in (?P<path>.+?)(?::(?P<line>\d{1,9}))?$"
)
_TRIGGERED = re.compile(r"^\s*triggered by the following guard failures?(?:\(s\))?:\s*")
_LIMIT = re.compile(r"torch\._dynamo hit config\.(?P<name>\w+) \((?P<limit>\d{1,9})\)")
_FUNCTION = re.compile(r"^\s*function: '?(?P<function>.+?)'? \((?P<path>.+?):(?P<line>\d{1,9})\)")
_LAST = re.compile(r"^\s*(?:last reason|reasons): ?(?P<text>.*)$")
_ADVICE = re.compile(r"^\s*[Tt]o (?:log all recompilation|diagnose recompilation)")
_STANCE = re.compile(
    r"Detected recompile when torch\.compile stance is '(?P<stance>\w+)'"
    r"(?:\. filename: '(?P<path>.*?)', function name: '(?P<function>.*?)',"
    r" line number: (?P<line>\d{1,9}))?"
)
NO_FRAME = Frame(path="", line=0)


@dataclass(frozen=True)
class Rejection:
    """A call that no cached graph could serve."""

    frame: Frame
    reasons: tuple[str, ...]
    whole: bool = True  # the reasons were all there

    def failures(self, paths: tuple[str, ...]) -> tuple[GuardFailure, ...]:
        """The reasons, understood."""
        return tuple(parse_reason(text, known_paths=paths) for text in self.reasons)


@dataclass(frozen=True)
class Limit:
    """A function's recompile limit, reached."""

    name: str
    limit: int
    frame: Frame
    reasons: tuple[str, ...]

    def failures(self, paths: tuple[str, ...]) -> tuple[GuardFailure, ...]:
        """The last reasons, understood."""
        return tuple(parse_reason(text, known_paths=paths) for text in self.reasons)


def read_recompile(lines: list[str]) -> Rejection | None:
    """The recompilation that a record of `recompiles` or `recompiles_verbose` tells of."""
    lines = _from_tuple(lines)
    head = _HEAD.match(lines[0].rstrip())
    frame = NO_FRAME
    if head:
        frame = Frame(head["path"], int(head["line"] or 0), head["function"])
        lines = lines[1:]
    body = list(lines)
    for number, line in enumerate(lines):
        if found := _TRIGGERED.match(line):
            rest = line[found.end() :]
            body = ([rest] if rest else []) + lines[number + 1 :]
            break
    reasons = _reasons(body)
    if head is None and not reasons:
        return None
    return Rejection(frame, reasons, whole=bool(reasons))


def read_limit(lines: list[str]) -> Limit | None:
    """The limit that a warning tells of."""
    head = _LIMIT.match(lines[0])
    if head is None:
        return None
    frame, reasons = NO_FRAME, list[str]()
    collecting = False
    for line in lines[1:]:
        if function := _FUNCTION.match(line):
            frame = Frame(function["path"], int(function["line"]), function["function"])
        elif last := _LAST.match(line):
            reasons = [last["text"].strip()]
            collecting = True
        elif _ADVICE.match(line):
            collecting = False
        elif collecting and line.strip():
            reasons.append(line)
    text = "\n".join(reasons)
    return Limit(head["name"], int(head["limit"]), frame, _last_reasons(text))


def read_stance(text: str) -> Rejection | None:
    """The recompilation that a stance forbade, told only in the exception."""
    found = _STANCE.search(text)
    if found is None or "triggered by" not in text:
        return None
    frame = NO_FRAME
    if found["path"]:
        frame = Frame(found["path"], int(found["line"]), found["function"])
    told = read_recompile(text[found.end() :].strip("\n").split("\n"))
    return Rejection(frame, told.reasons) if told else None


def _reasons(body: list[str]) -> tuple[str, ...]:
    text = "\n".join(body)
    if not text.strip():
        return ()
    return tuple(reason for reason in split_reasons(text) if reason.strip(" -\n"))


def _last_reasons(text: str) -> tuple[str, ...]:
    """2.0 printed the list's repr where there were several."""
    if text.startswith("["):
        try:
            listed = ast.literal_eval(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return (text,)
        return tuple(str(item) for item in listed) if isinstance(listed, list) else (text,)
    return (text,) if text.strip() else ()


def _from_tuple(lines: list[str]) -> list[str]:
    """2.1 logged the record's lines as the repr of a tuple."""
    if not lines[0].startswith("("):
        return lines
    try:
        items = ast.literal_eval("\n".join(lines).strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return [lines[0].strip("()'\""), *lines[1:]]
    return [str(item) for item in items] if isinstance(items, tuple) and items else lines
