"""How this process began and ended, without an excepthook that a program could notice."""

from __future__ import annotations

import atexit
import os
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .record import Record

VARIABLES = (
    "CUDA_VISIBLE_DEVICES",
    "LOCAL_RANK",
    "OMP_NUM_THREADS",
    "PYTORCH_ALLOC_CONF",
    "PYTORCH_CUDA_ALLOC_CONF",
    "RANK",
    "TRITON_CACHE_DIR",
    "WORLD_SIZE",
)
PREFIXES = ("TORCH_COMPILE", "TORCHDYNAMO_", "TORCHINDUCTOR_", "TORCH_LOGS", "AOT_")


def watch(record: Record) -> None:
    """Note the end of this process, and follow it into forked children."""
    atexit.register(_end, record)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=lambda: _in_child(record))


def variables() -> dict[str, str]:
    """The environment variables that change what torch.compile does, as far as they are set."""
    return {
        name: value[:500]
        for name, value in os.environ.items()
        if name in VARIABLES or name.startswith(PREFIXES)
    }


def _in_child(record: Record) -> None:
    record.after_fork()
    util = sys.modules.get("multiprocessing.util")
    if util is not None:
        try:
            # A forked worker leaves through os._exit: atexit does not run there, this does.
            util.register_after_fork(
                record, lambda held: util.Finalize(None, _end, args=(held,), exitpriority=-1000)
            )
        except Exception as error:  # noqa: BLE001
            record.trouble("process.in_child", error)


def _end(record: Record) -> None:
    try:
        error = getattr(sys, "last_value", None)
        # Left by the interpreter when it printed an exception that nobody caught.
        if not record.is_open and error is None:
            return
        kind = type(error).__name__ if error is not None else ""
        record.note(
            "end",
            at=time.time(),
            kind=kind,
            text=str(error)[:2000] if error is not None else "",
        )
    except Exception as error:  # noqa: BLE001
        record.trouble("process.end", error)
