"""What torch says about its compiles while they happen, read through filters on its loggers.

A filter sees every record that its logger takes, and changes neither handlers nor output.
"""

from __future__ import annotations

import logging
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

from .torch_messages import QuietFilter

if TYPE_CHECKING:
    from .record import Record

TRACE = "torch.__trace"
LIMIT = "torch._dynamo hit config."
# Records that only a compile writes; others carry a compile id at run time too.
COMPILE_RECORDS = ("dynamo_start", "compilation_metrics", "bwd_compilation_metrics")
QUIET = {
    "perf_hint": (
        "torch._dynamo.variables.optimizer.__perf_hints",
        "torch._inductor.graph.__perf_hints",
        "torch._inductor.codegen.simd.__perf_hints",
        "torch._inductor.codegen.triton.__perf_hints",
        "torch._inductor.compile_fx.__perf_hints",
        "torch._inductor.utils.__perf_hints",
        "torch._inductor.cudagraph_utils.__perf_hints",  # up to torch 2.9: skips
        "torch._inductor.fx_passes.fuse_attention.__perf_hints",
        "torch._inductor.kernel.flex.interval_mask_packing.__perf_hints",
    ),
    "cudagraph": (
        "torch._inductor.cudagraph_utils.__cudagraphs",
        "torch._inductor.cudagraph_trees.__cudagraphs",
        "torch._inductor.scheduler.__cudagraphs",
        "torch._inductor.compile_fx.__cudagraphs",
    ),
}
# Not levels that anybody else sets, so that ours are told apart from one asked for by the user.
OUR_LEVEL = logging.INFO - 3
OUR_LOWEST = logging.DEBUG - 3
# Says there which graph was warmed up, recorded and recorded again, and nothing at a replay.
_WHOLLY_READ = "torch._inductor.cudagraph_trees.__cudagraphs"
# Says there of each operator why it stays outside, of all of them where CUDA graphs are off.
_OF_PARTITIONS = "torch._inductor.scheduler.__cudagraphs"

active = threading.local()  # .calls: the compiled calls that this thread is inside of


def watch(record: Record) -> None:
    """Listen to the compiler's own records."""
    logging.getLogger(TRACE).addFilter(_TraceFilter(record))
    logging.getLogger("torch._dynamo.convert_frame").addFilter(_LimitFilter(record))
    for kind, names in QUIET.items():
        for name in names:
            logger = logging.getLogger(name)
            if logger.level == logging.NOTSET:
                logger.setLevel(OUR_LOWEST if name == _WHOLLY_READ else OUR_LEVEL)
            logger.addFilter(QuietFilter(record, kind, (OUR_LEVEL, OUR_LOWEST)))
    _open_for_cudagraphs(logging.getLogger(_OF_PARTITIONS))


def _open_for_cudagraphs(logger: logging.Logger) -> None:
    """Have `logger` write all it has while inductor compiles for CUDA graphs, and only then."""
    is_enabled = logger.isEnabledFor

    def open_too(level: int) -> bool:
        return is_enabled(level) or (logger.level == OUR_LEVEL and _compiles_for_cudagraphs())

    logger.isEnabledFor = open_too  # type: ignore[method-assign]


def _compiles_for_cudagraphs() -> bool:
    triton: Any = getattr(sys.modules.get("torch._inductor.config"), "triton", None)
    return bool(getattr(triton, "cudagraphs", False))


def compile_id(metadata: dict[str, Any]) -> str:
    """The compile id as torch prints it, "" where the record has none."""
    frame, entry = metadata.get("frame_id"), metadata.get("frame_compile_id")
    if frame is None or entry is None:
        return ""
    autograd = metadata.get("compiled_autograd_id")
    return f"!{autograd}/{frame}/{entry}" if autograd is not None else f"{frame}/{entry}"


class _TraceFilter(logging.Filter):
    """Tells the calls of this thread which compiles they pay for."""

    def __init__(self, record: Record) -> None:
        super().__init__()
        self._record = record

    def filter(self, record: logging.LogRecord) -> bool:
        try:
            metadata: dict[str, Any] = record.__dict__.get("metadata") or {}
            for kind in COMPILE_RECORDS:
                if kind in metadata:
                    self._tell(kind, metadata)
        except Exception as error:  # noqa: BLE001
            self._record.trouble("trace filter", error)
        return True

    def _tell(self, kind: str, metadata: dict[str, Any]) -> None:
        name = compile_id(metadata)
        calls = getattr(active, "calls", ())
        if not name:
            return
        for call in calls:
            if kind == "dynamo_start":
                call.begin(name)
            # The limit is met before the compile starts: it has metrics but no start.
            if kind != "compilation_metrics" or name in call.started:
                call.pay(name)


class _LimitFilter(logging.Filter):
    """Notes that a function reached its recompile limit, and marks the call that it happened in."""

    def __init__(self, record: Record) -> None:
        super().__init__()
        self._record = record

    def filter(self, record: logging.LogRecord) -> bool:
        try:
            if isinstance(record.msg, str) and record.msg.startswith(LIMIT):
                for call in getattr(active, "calls", ()):
                    call.refused = True
                arguments: Any = record.args or ()
                self._record.note(
                    "limit",
                    at=time.time(),
                    name=str(arguments[0]) if arguments else "",
                    limit=arguments[1] if len(arguments) > 1 else None,
                    function=str(arguments[2])[:500] if len(arguments) > 2 else "",
                    reason=str(arguments[3])[:2000] if len(arguments) > 3 else "",
                )
        except Exception as error:  # noqa: BLE001
            self._record.trouble("limit filter", error)
        return True
