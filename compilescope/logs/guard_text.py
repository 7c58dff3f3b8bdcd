"""The parts of one guard-failure text: entry, code, comment, hint and the user's stack."""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from compilescope.model import Frame
from compilescope.paths import own_frame

if TYPE_CHECKING:
    from collections.abc import Sequence

ENTRY = re.compile(r"\s*(?:- )?\s*(?P<id>!?\d+(?:/\d+){0,2}(?:_\d+)?):(?: |$)")
_STACK = re.compile(r"\n[ \t]*(?:- )?[ \t]*User stack trace:[ \t]*(?:\n|$)")
_STACK_FRAME = re.compile(
    r'^\s*(?:- )?\s*File "(?P<path>.*)", line (?P<line>\d+)(?:, in (?P<f>.*))?$'
)
_STACK_CODE = re.compile(r"^\s*(?:- )?\s*(?P<code>.*)$")
_LOCATION = re.compile(
    r"(?:^|#\s+|\(|and\s+)(?P<path>[^#()\n]*?[^#()\s]):(?P<line>\d+) in (?P<f><?[\w.<>]+)"
    r"(?=$|[\s;)])"
)
_LABEL = re.compile(
    r"\s*(?:- )?(?:last reason|reasons|triggered by the following guard failures?(?:\(s\))?):\s*"
)
_NOTE = re.compile(r"\((?:user code shown is first use|to avoid this specialization)[^\n]*")
_PARAMETER_HINT = re.compile(r"\. (?P<hint>Guard failed on a parameter, .*)$")
_COMPILER = re.compile(r"(?:torch[/\\])?_(?:dynamo|inductor|functorch)[/\\]")
_SPECIALIZATION_NOTE = "user code shown is first use of this value"


@dataclass(frozen=True)
class Parts:
    """One reason, taken apart.

    Attributes:
        raw: The text without the entry, as printed.
        code: The guard itself, without padding.
        comment: What follows the `#`, the hint excluded.
        hints: PyTorch's own advice.
        entry: Compile id of the cache entry.
        frame: The user's line.
        stack: The user's stack, outermost first.
    """

    raw: str
    code: str
    comment: str = ""
    hints: tuple[str, ...] = ()
    entry: str = ""
    frame: Frame | None = None
    stack: tuple[Frame, ...] = ()


def take_apart(text: str, known_paths: Sequence[str] = ()) -> Parts:
    """The parts of one reason text, whichever torch wrote it."""
    reason, _, tail = _cut(text, _STACK)
    label = _LABEL.match(reason)
    if label is not None:
        reason = reason[label.end() :]
    entry = ENTRY.match(reason)
    if entry is not None:
        reason = reason[entry.end() :]
    elif reason.lstrip().startswith("- "):
        reason = reason.lstrip()[2:]
    reason = _unlisted(reason.strip())
    body, hints = _take_hints(reason)
    code, comment = split_comment(body)
    hints += tuple(_advice(comment))
    stack = _read_stack(tail) if tail else ()
    frame = own_frame(stack) or _from_comment(comment, known_paths)
    return Parts(reason, code, comment, hints, entry["id"] if entry else "", frame, stack)


def _unlisted(reason: str) -> str:
    """The first of a list's reasons, which PyTorch 2.0 prints as `['...']`."""
    if not reason.startswith(("['", '["')) or not reason.endswith("]"):
        return reason
    try:
        with warnings.catch_warnings():  # strange escapes in strings
            warnings.simplefilter("ignore")
            listed = ast.literal_eval(reason)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return reason
    return listed[0] if listed and isinstance(listed[0], str) else reason


def _cut(text: str, pattern: re.Pattern[str]) -> tuple[str, str, str]:
    found = pattern.search(text)
    if found is None:
        return text, "", ""
    return text[: found.start()], found[0], text[found.end() :]


def _take_hints(text: str) -> tuple[str, tuple[str, ...]]:
    """Text without its trailing `(HINT: ...)` or parameter advice, and these."""
    hints: list[str] = []
    while text.endswith(")"):
        start = text.rfind(" (HINT: ")
        if start < 0:
            break
        hints.insert(0, text[start + 8 : -1])
        text = text[:start]
    found = _PARAMETER_HINT.search(text) if "Guard failed on a parameter" in text else None
    if found is not None:
        hints.append(found["hint"])
        text = text[: found.start()]
    return text, tuple(hints)


def split_comment(text: str) -> tuple[str, str]:
    """The guard and its comment.

    Both may contain `#`: string constants in the guard, a comment in the quoted source line. The
    first `  # ` outside a string is the boundary; where quotes do not balance, column 60 is, to
    which PyTorch pads, and else the last.
    """
    if " #" not in text:
        return text.strip(), ""
    boundary = _comment_start(text)
    if boundary is None:
        boundary = 60 if text[60:63] == "  #" else text.rfind(" #")
    return text[:boundary].strip(), text[boundary:].lstrip(" #").strip()


_TOKEN = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|['"]| #|; """, re.DOTALL)


def _comment_start(text: str) -> int | None:
    """Where the comment starts; None where quotes do not balance before it."""
    for token in _TOKEN.finditer(text):
        found = token[0]
        if found == " #":
            return token.start()
        if found in {"'", '"'}:
            return None
    return None


def split_joined(text: str) -> list[str]:
    """The reasons of a `; `-joined list; a `;` in a string or in a quoted source line stays."""
    if "; " not in text:
        return [text]
    parts: list[str] = []
    start = position = 0
    in_comment = False
    while True:
        token = (_SEMICOLON if in_comment else _TOKEN).search(text, position)
        if token is None:
            break
        position = token.end()
        if token[0] == " #":
            in_comment = True
        elif token[0] == "; ":
            before = text[start : token.start()]
            if not in_comment or _ENDS_COMMENT.search(before):
                parts.append(before)
                start, in_comment = position, False
    parts.append(text[start:])
    return [part for part in parts if part.strip()] or [text]


_SEMICOLON = re.compile("; (?!to avoid specialization)")
_ENDS_COMMENT = re.compile(
    r":\d+ in <?[\w.<>]+(?: \([^\n]*\))?$"  # a place, with torch's own place or advice after it
    r"|(?:please file a bug|use_duck_shape = False|\.py:\d+ in \S+)\)$"
    r"|(?:automatic dynamic|in the framework|<unknown>)$"
    r"|\(HINT: [^\n]*\)$"
)


def _advice(comment: str) -> list[str]:
    found = _NOTE.search(comment)
    if found is None:
        return []
    text = found[0][1:]
    depth = 1
    for index, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return [text[:index]]
    return [text]


def _read_stack(tail: str) -> tuple[Frame, ...]:
    frames: list[Frame] = []
    for line in tail.splitlines():
        found = _STACK_FRAME.match(line)
        if found is not None:
            frames.append(Frame(found["path"], int(found["line"]), found["f"] or ""))
        elif frames and not frames[-1].code:
            code = _STACK_CODE.match(line)
            last = frames[-1]
            frames[-1] = Frame(last.path, last.line, last.function, code["code"] if code else "")
    return tuple(frames)


def _from_comment(comment: str, known_paths: Sequence[str]) -> Frame | None:
    """The user's line of a comment `code  # path:line in f (torch's own line) and ...`."""
    if ":" not in comment:
        return None
    best: Frame | None = None
    start = 0
    for found in _LOCATION.finditer(comment):
        if comment[found.start()] == "(":
            continue
        code = comment[start : found.start()].strip()
        frame = Frame(found["path"].strip(), int(found["line"]), found["f"], code.rstrip("# "))
        start = found.end()
        noted = comment.startswith(f" ({_SPECIALIZATION_NOTE}", start)
        if best is None or not noted:
            best = frame
        if not noted:
            break
        start = _after_note(comment, start)
    if best is not None and _COMPILER.match(best.path):
        return None
    if best is None or not known_paths:
        return best
    return Frame(repair_path(best.path, known_paths), best.line, best.function, best.code)


def _after_note(comment: str, start: int) -> int:
    following = comment.find(") and ", start)
    return len(comment) if following < 0 else following + 6


def repair_path(path: str, known_paths: Sequence[str]) -> str:
    """The one known path that a cut path is the end of, else the path itself."""
    return _repair(path, tuple(known_paths))


@lru_cache(maxsize=4096)
def _repair(path: str, known_paths: tuple[str, ...]) -> str:
    wanted = path.replace("\\", "/")
    found = {known for known in known_paths if known.replace("\\", "/").endswith(wanted)}
    if len(found) > 1:
        whole = {known for known in found if known.replace("\\", "/").endswith("/" + wanted)}
        found = whole or found
    return found.pop() if len(found) == 1 else path
