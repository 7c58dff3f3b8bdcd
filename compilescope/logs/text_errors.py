"""Exceptions that a text log tells of: a compile that failed, or a program that ended with one."""

from __future__ import annotations

import re
from dataclasses import dataclass

from compilescope.logs.stacks import own_frame, read_stack
from compilescope.model import Frame
from compilescope.paths import is_interpreter

_TRACEBACK = "Traceback (most recent call last):"
_IPYTHON = re.compile(r"^(?P<kind>[A-Z]\w+) +Traceback \(most recent call last\):?\s*$")
_NOT_CONVERTED = re.compile(r"WON'T CONVERT (?P<function>.+) (?P<path>\S.*) line (?P<line>\d{1,9})")
_RAISED = re.compile(r"^(?P<kind>[A-Za-z_][\w.]*)(?:: ?(?P<text>.*))?\Z", re.DOTALL)
_USER_CODE = re.compile(
    r"^\s*(?:from user code|User stack(?: \(most recent call last\))?):\s*$", re.IGNORECASE
)
_ADVICE = re.compile(r"^(?:Set TORCHDYNAMO_VERBOSE=1|You can suppress this exception)")
_OURS = re.compile(
    r"torch[/\\]_(?:dynamo|inductor|functorch|higher_order_ops)[/\\]|^torch\._(?:dynamo|inductor)\."
    r"|torch\.fx\.experimental\.symbolic_shapes\.|torch\.compile",
    re.MULTILINE,
)
_LONG = re.compile(
    r"torch\._(?:dynamo|inductor)\.|^(?:Unsupported|UserError|TorchRuntimeError|BackendCompilerFailed):"
    r"|ConstraintViolationError|stance"
)
_OWN_CLASS = re.compile(
    r"(?:^|\.)(?:[A-Z]\w*(?:Error|Exception|Exit|Interrupt|Warning|Iteration)|Unsupported"
    r"|FailOnRecompileLimitHit|BackendCompilerFailed|[A-Z]\w+)$"
)


@dataclass(frozen=True)
class Failure:
    """An exception, and where in the user's code it came from."""

    kind: str  # the class, without its module
    text: str
    stack: tuple[Frame, ...]
    frame: Frame | None
    function: Frame | None = None  # the function that was left uncompiled


def read_failure(lines: list[str]) -> Failure | None:
    """The exception that a record ends with, `None` where it has nothing to do with a compile."""
    if not _OURS.search("\n".join(lines)):
        return None
    if notebook := _IPYTHON.match(lines[0]):
        raised = f"{notebook['kind']}: "
        body = next((i for i, line in enumerate(lines) if line.startswith(raised)), len(lines))
        return _read([], lines[body:], None)
    skipped = _NOT_CONVERTED.match(lines[0])
    function = (
        Frame(skipped["path"], int(skipped["line"]), skipped["function"]) if skipped else None
    )
    start = max((i for i, line in enumerate(lines) if line.startswith(_TRACEBACK)), default=-1)
    body = next(
        (i for i in range(start + 1, len(lines)) if lines[i] and not lines[i][0].isspace()),
        len(lines),
    )
    if start < 0 or body == len(lines):
        return Failure("", "", (), None, function) if function else None
    return _read(lines[start + 1 : body], lines[body:], function)


def _read(above: list[str], message: list[str], function: Frame | None) -> Failure | None:
    end = next((i for i, line in enumerate(message) if _ADVICE.match(line)), len(message))
    message = message[:end]
    if not message:
        return Failure("", "", (), None, function) if function else None
    split = next((i for i, line in enumerate(message) if _USER_CODE.match(line)), len(message))
    own = read_stack(message[split:])
    if not _LONG.search(message[0]):
        blank = next((i for i, line in enumerate(message) if not line.strip()), len(message))
        split = min(split, blank)
    raised = _RAISED.match("\n".join(message[:split]).strip())
    if raised is None or not _OWN_CLASS.search(raised["kind"]):
        return None
    stack = own or read_stack(above)
    frame = own_frame(stack)
    return Failure(
        kind=raised["kind"].rpartition(".")[2],
        text=(raised["text"] or "").strip(),
        stack=stack,
        frame=None if frame is None or is_interpreter(frame.path) else frame,
        function=function,
    )
