"""What PyTorch's CUDA graph trees log: set up, warm-up, recording, recording again."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, TypeAlias

from compilescope.logs.stacks import own_frame, read_stack
from compilescope.model import CudaGraphed

_RUN = re.compile(
    r"^(?:\[(?P<id>[!\d/_]+|None|)\] )?(?:"
    r"(?P<set_up>Recording cudagraph tree for )(?:graph without symints|symint key (?P<sizes>.+))"
    r"|(?P<warmed_up>Running warmup function=)(?P<warm>[^,\s]+)"
    r"|(?P<ran_eagerly>Running eager function=)(?P<eager>[^,\s]+)"
    r"|(?P<recorded>Recording function=)(?P<new>[^,\s]+)"
    r"|(?P<rerecorded>Re-recording function=)(?P<again>[^,\s]+)"
    r")"
)
_MODE = re.compile(r", mode=(?:CompilationMode\.)?(\w+)")
_REASON = re.compile(r", reason=(?P<reason>.*)", re.DOTALL)
_MOVED = re.compile(r"input name: (?P<name>\S+?)\. data pointer changed")
_STATUS = re.compile(r"^(?:CheckInvariantStatus\.)?(?P<status>[\w ]+?)\s*(?:\.|\(|$)", re.MULTILINE)
_ATTEMPT = re.compile(r"_\d+$")
_STATUSES = {
    "CudagraphManagedIdxMismatch": "cudagraph managed tensor data pointer changed",
    "StaticInputIdxMismatch": "static input data pointer changed",
    "ExpectedDeadIndicesBeforeGraphMismatch": "expected dead indices before graph are live",
}
_What: TypeAlias = Literal["set_up", "warmed_up", "ran_eagerly", "recorded", "rerecorded"]
_WHAT: tuple[_What, ...] = ("set_up", "warmed_up", "ran_eagerly", "recorded", "rerecorded")


def read_run(
    lines: Sequence[str], *, process: int = 0, compile_id: str = "", at: float | None = None
) -> CudaGraphed | None:
    """The step that a record of `torch._inductor.cudagraph_trees` tells, None for any other.

    Args:
        lines: The message, without its prefix.
        process: Index of the process.
        compile_id: From the prefix; one in the message itself goes before it.
        at: When it was logged.
    """
    found = _RUN.match(lines[0].strip())
    if found is None:
        return None
    what = next(name for name in _WHAT if found[name])
    mode = _MODE.search(lines[0])
    reason = _REASON.search("\n".join(lines)) if what == "rerecorded" else None
    told = reason["reason"] if reason else ""
    own = found["id"] if found["id"] and found["id"] != "None" else compile_id
    return CudaGraphed(
        process=process,
        what=what,
        compile_id=_ATTEMPT.sub("", own),
        function=next((found[key] for key in ("warm", "eager", "new", "again") if found[key]), ""),
        mode=mode[1].lower() if mode else "",
        sizes=(found["sizes"] or "").strip("(,) "),
        reason=_status(told),
        inputs=tuple(dict.fromkeys(_MOVED.findall(told))),
        frame=own_frame(read_stack(_stack_lines(told))) if told else None,
        at=at,
    )


def _status(told: str) -> str:
    """What had changed, in PyTorch's words, without addresses."""
    for name, text in _STATUSES.items():
        if name in told or text in told:
            return text
    found = _STATUS.match(told.strip())
    return found["status"].strip() if found else ""


def _stack_lines(told: str) -> list[str]:
    """The first input's stack; a stack may begin on the line that names it."""
    _, _, stack = told.partition("input stack trace: ")
    own, _, _ = stack.partition("input name: ")
    return own.split("\n")
