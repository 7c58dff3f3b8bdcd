"""What PyTorch's CUDA graph trees log: set up, warm-up, recording, recording again."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, TypeAlias

from compilescope.logs.stacks import own_frame, read_stack
from compilescope.model import CudaGraphed, Frame

_RUN = re.compile(
    r"^(?:\[(?P<id>[!\d/_]+|None|)\] )?(?:"
    r"(?P<set_up>Recording cudagraph tree for )(?:graph without symints|symint key (?P<sizes>.+))"
    r"|(?P<warmed_up>Running warmup function=)(?P<warm>[^,\s]+)"
    r"|(?P<ran_eagerly>Running eager function=)(?P<eager>[^,\s]+)"
    r"|(?P<recorded>Recording function=)(?P<new>[^,\s]+)"
    r"|(?P<rerecorded>Re-recording function=)(?P<again>[^,\s]+)"
    r")"
)
# Up to torch 2.9, which does not say for which compile.
_OLD_RUN = re.compile(
    r"(?P<set_up>recording cudagraph tree for )(?:graph without symints|symint key (?P<sizes>.+))"
    r"|(?P<warmed_up>Running warmup of )(?P<warm>function \d+)"
    r"|(?P<ran_eagerly>Running eager of )(?P<eager>function \d+)"
    r"|(?P<recorded>Recording )(?P<new>function \d+) of graph recording id"
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
    found = _RUN.match(lines[0].strip()) or _OLD_RUN.match(lines[0].strip())
    if found is None:
        return None
    groups = found.groupdict()
    what = next(name for name in _WHAT if groups.get(name))
    mode = _MODE.search(lines[0])
    reason = _REASON.search("\n".join(lines)) if what == "rerecorded" else None
    told = reason["reason"] if reason else ""
    own = groups.get("id") or "None"
    own = compile_id if own == "None" else own
    return CudaGraphed(
        process=process,
        what=what,
        compile_id=_ATTEMPT.sub("", own),
        function=next(filter(None, map(groups.get, ("warm", "eager", "new", "again"))), ""),
        mode=mode[1].lower() if mode else "",
        sizes=(found["sizes"] or "").strip("(,) "),
        reason=_status(told),
        inputs=moved_inputs(told),
        frame=moved_at(told),
        at=at,
    )


def is_again(moved: CudaGraphed, next_one: CudaGraphed) -> bool:
    """Whether `next_one` is the recording that `moved` announces.

    PyTorch logs "Re-recording" for every recorded graph that does not fit a call, also where the
    next one that it looks at fits, so that nothing is recorded.
    """
    same = (moved.compile_id, moved.function) == (next_one.compile_id, next_one.function)
    return next_one.what == "recorded" and same


def moved_inputs(told: str) -> tuple[str, ...]:
    """The inputs whose address had changed, by PyTorch's names for them."""
    return tuple(dict.fromkeys(_MOVED.findall(told)))


def moved_at(told: str) -> Frame | None:
    """The user's line that reads the first of these inputs."""
    return own_frame(read_stack(_stack_lines(told))) if told else None


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
