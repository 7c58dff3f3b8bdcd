"""Messages about performance and behaviour in a text log, each with the kind that it is of."""

from __future__ import annotations

import re
from dataclasses import dataclass

from compilescope.logs.cudagraph_runs import moved_at, moved_inputs
from compilescope.logs.stacks import FRAME, own_frame, read_stack
from compilescope.model import Frame

_KINDS = tuple(
    (re.compile(pattern), kind)
    for pattern, kind in (
        (r"(?:skipping|disabling) cudagraphs?(?: for backward)? due to ", "cudagraph_skip"),
        (r"below minimum size \d+, skipping cudagraph", "cudagraph_skip"),
        (r"TensorFloat32 tensor cores", "tf32"),
        (r"Unable to hit fast path of CUDAGraphs|CUDAGraph supports dynamic shapes", "cudagraph"),
        (r"Re-recording function=|re-recording", "cudagraph"),
        (r"Not enough SMs to use|GPU arch does not support max_autotune", "autotune"),
        (r"All autotuning benchmarks failed|Precompilation timeout", "autotune"),
        (r"Online softmax is disabled|does not support code generation for complex", "perf_hint"),
        (r"make_fallback\(|Guards may run slower|will be copied during cudagraphs", "perf_hint"),
        (r"global hooks on modules", "hooks"),
        (r"Profiler record function ", "profiler"),
        (r"propagate_real_tensors ", "data_dependent"),
        (r"Dynamo does not know how to trace|Dynamo detected a call to a `functools", "skip"),
        (r"config\.\w+ is deprecated|has been deprecated|is deprecated", "deprecated"),
    )
)
_AGAIN = re.compile(
    r"^((?:skipping|disabling) cudagraphs? due to )(?=(?:skipping|disabling) cudag)"
)
_FOUND_FROM = re.compile(r"[.,]? ?Found from ?:?\s*$")
_STACK_BESIDE = re.compile(r' (?P<stack>\s*File "[^"]+", line \d+.*)$')
_LIMIT_REACHED = "max re-recording limit"
_PARTITION_WARNING = re.compile(r"^cudagraph partition (?:due to (?P<reason>.+)|into \d+)")
_PYTHON = re.compile(
    r"^(?P<path>\S.*?):(?P<line>\d{1,9}): (?:\w+\.)*\w*Warning: "
    r"(?P<text>.*)$"
)
_TORCH = re.compile(r"[/\\](?:torch|triton)[/\\]|^torch[/\\]")
_PARTITION_REASON = re.compile(
    r"^\s+\w+: reason=(?P<reason>.+?)(?:, ir=\w+)?(?:, fx=(?P<operator>[\w.:]*).*)?$"
)
_UNSAFE = "CUDAGraph-unsafe custom ops"
_PARTITION_SIZE = re.compile(r"^Partition \d+ has (?P<rest>.* skipping cudagraph.*)$")
_OF_CUDAGRAPHS = re.compile(
    r"(?:skipping|disabling) cudagraph|cudagraph partition (?:due to|into) "
    r"|Partition \d+ has \d+ kernels, below minimum size"
)
_BELONGS_TO_A_TRACEBACK = {"Created at:"}
_TELLS_NOTHING = re.compile(
    r"Created \d+ graph partitions|\s*Partition \d+: |(?:\[[!\d/_]+\] )?(?:Running warmup"
    r"|Recording (?:function|cudagraph)|Checkpointing cuda caching|tensor_weakrefs length)"
)


@dataclass(frozen=True)
class Message:
    """A warning or hint."""

    kind: str
    text: str
    frame: Frame | None = None


def read_message(lines: list[str], artifact: str, level: str) -> Message | None:
    """The message of a record, `None` where it says nothing to a user."""
    if artifact == "cudagraphs" or _OF_CUDAGRAPHS.match(lines[0]):
        return _cudagraphs(lines)
    if found := _PYTHON.match(lines[0]):
        return _python(found, lines)
    text = _joined(lines)
    if not text or text in _BELONGS_TO_A_TRACEBACK:
        return None
    kind = kind_of(text)
    if artifact == "perf_hints":
        return Message("cudagraph_skip" if kind == "cudagraph_skip" else "perf_hint", text)
    if kind or level in ("W", "E", "C"):
        return Message(kind or "warning", text, _frame(lines))
    return None


def kind_of(text: str) -> str:
    """The kind of a message that is known, "" of others."""
    for pattern, kind in _KINDS:
        if pattern.search(text):
            return kind
    return ""


def _cudagraphs(lines: list[str]) -> Message | None:
    if found := _PARTITION_REASON.match(lines[0]):
        of_operator = found["reason"] == _UNSAFE and found["operator"]
        text = f"{_UNSAFE}: {found['operator']}" if of_operator else found["reason"]
        return Message("cudagraph", text, _frame(lines))
    if found := _PARTITION_WARNING.match(lines[0]):
        reason = _FOUND_FROM.sub("", found["reason"] or "")
        return Message("cudagraph", reason, _frame(lines)) if reason else None
    if found := _PARTITION_SIZE.match(lines[0].strip()):
        return Message("cudagraph_skip", f"partition has {found['rest']}")
    if FRAME.match(lines[0]) or lines[0].startswith(" ") or _TELLS_NOTHING.match(lines[0]):
        return None
    text = lines[0].strip()
    while again := _AGAIN.match(text):
        text = text[again.end() :]
    if _LIMIT_REACHED in text:
        told = "\n".join(lines)
        names = [f"input name: {name}" for name in moved_inputs(told)]
        return Message("cudagraph_skip", "\n".join([text, *names]), moved_at(told))
    if found := _STACK_BESIDE.search(text):
        text, lines = text[: found.start()], [found["stack"], *lines[1:]]
    text = _FOUND_FROM.sub("", text)
    return Message(kind_of(text) or "cudagraph", text, _frame(lines)) if text else None


def _python(found: re.Match[str], lines: list[str]) -> Message | None:
    """What `warnings.warn` prints: place, class and text, and below it the source line."""
    rest = [line for line in lines[1:] if line.strip() and not line.startswith(" ")]
    text = "\n".join([found["text"], *rest]).strip()
    kind = kind_of(text)
    place = Frame(found["path"], int(found["line"]))
    if not kind and not _TORCH.search(place.path):
        return None
    return Message(kind or "warning", text, None if _TORCH.search(place.path) else place)


def _joined(lines: list[str]) -> str:
    end = next((i for i, line in enumerate(lines) if FRAME.match(line)), len(lines))
    return _FOUND_FROM.sub("", "\n".join(lines[:end]).strip())


def _frame(lines: list[str]) -> Frame | None:
    return own_frame(read_stack(lines))
