"""Every Triton kernel that this process compiles: for which arguments, how long, from which cache.

Triton 3.4 and newer tell a listener of `triton.knobs`; before that its `compile` is stood around.
Neither runs at a launch that finds its kernel ready, so a steady program pays nothing.
"""

from __future__ import annotations

import atexit
import functools
import threading
import time
import weakref
from typing import TYPE_CHECKING, Any

from . import triton_inductor
from .torch_logs import active
from .triton_source import arguments, launch, place

if TYPE_CHECKING:
    from types import ModuleType

    from .record import Record

_MOST_KERNELS = 5_000
# What a launch, or a setting of the program, can choose for each compile.
_OPTIONS = (
    "num_warps",
    "num_stages",
    "num_ctas",
    "maxnreg",
    "cluster_dims",
    "enable_fp_fusion",
    "enable_reflect_ftz",
    "launch_cooperative_grid",
    "launch_pdl",
    "clc",
    "sched4reg",
    "min_shared_mem",
    "ptx_version",
    "ptx_options",
    "ir_override",
    "debug",
    "sanitize_overflow",
    "instrumentation_mode",
    "default_dot_input_precision",
    "max_num_imprecise_acc_default",
    "waves_per_eu",
    "matrix_instr_nonkdim",
    "kpack",
    "allow_flush_denorm",
    "schedule_hint",
    "instruction_sched_variant",
    "arch",
)

tuning = threading.local()  # .depth: inside of how many autotuners' trials this thread is


def on_knobs(module: ModuleType, record: Record) -> None:
    """Listen to compiles, where the program does not listen itself."""
    knobs: Any = module
    if knobs.runtime.interpret:
        why = (
            "TRITON_INTERPRET=1: they run in Python, and nothing is compiled; a compiled function "
            "can then launch them only through a custom operator"
        )
        record.note("missing", what="compiles of Triton kernels", why=why)
    if knobs.compilation.listener is not None:
        record.note("missing", what="Triton kernels", why="the program has a listener of its own")
        return
    kernels = Kernels(record)

    def listener(*, src: Any, metadata: Any, times: Any, cache_hit: bool, **_more: Any) -> None:
        kernels.compiled(src, metadata, getattr(times, "total", 0) / 1e6, cache_hit)

    knobs.compilation.listener = listener
    atexit.register(kernels.end, lambda: knobs.compilation.listener is listener)


def on_compiler(module: ModuleType, record: Record) -> None:
    """Stand around `compile` of a Triton that has no listeners."""
    compiler: Any = module
    if hasattr(compiler, "knobs"):
        return
    kernels = Kernels(record)
    original = compiler.compile

    @functools.wraps(original)
    def compile(src: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: A001  its name there
        began = time.perf_counter()
        kernel = original(src, *args, **kwargs)
        seconds = time.perf_counter() - began
        metadata = getattr(kernel, "metadata", None)
        kernels.compiled(src, getattr(metadata, "_asdict", dict)(), seconds, None)
        return kernel

    compiler.compile = compile
    atexit.register(kernels.end)


def on_autotuner(module: ModuleType, record: Record) -> None:
    """Note every trial of `triton.autotune`; a launch whose winner is known makes none."""
    tuner: Any = module.Autotuner
    bench = tuner._bench  # noqa: SLF001  there is no hook for it before 3.9
    groups: dict[tuple[int, int], int] = {}

    @functools.wraps(bench)
    def _bench(self: Any, *args: Any, **kwargs: Any) -> Any:
        tuning.depth = getattr(tuning, "depth", 0) + 1
        began = time.perf_counter()
        try:
            return_value = bench(self, *args, **kwargs)
        finally:
            tuning.depth -= 1
        try:
            # While the trials of one key run, the autotuner knows as many winners as before them.
            group = groups.setdefault((id(self), len(self.cache)), len(groups))
            seconds = time.perf_counter() - began
            _note_trial(record, self, group, kwargs.get("config"), return_value, seconds)
        except Exception as error:  # noqa: BLE001
            record.trouble("trial", error)
        return return_value

    tuner._bench = _bench  # noqa: SLF001


def _note_trial(
    record: Record, tuner: Any, group: int, config: Any, timing: Any, seconds: float
) -> None:
    best = timing[0] if isinstance(timing, (list, tuple)) else timing
    function = tuner.fn
    while hasattr(function, "fn") and not hasattr(function.fn, "__code__"):
        function = function.fn  # heuristics and the like stand between
    known = getattr(tuner, "nargs", None) or {}
    key = {name: str(known[name])[:80] for name in getattr(tuner, "keys", ()) if name in known}
    record.note(
        "trial",
        group=group,
        at=time.time(),
        seconds=seconds,
        name=str(getattr(function, "__name__", ""))[:300],
        config=str(config)[:300],
        ms=best if isinstance(best, (int, float)) and best < 1e30 else None,
        key=", ".join(f"{name}={value}" for name, value in key.items()),
        **place(function),
        **launch(),
    )


class Kernels:
    """Writes a line a compile, and another with what is known when the kernel was loaded."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._count = 0
        self._waiting: dict[str, Any] = {}  # hash to the function whose cache will hold the kernel
        self._lock = threading.Lock()

    def compiled(self, src: Any, metadata: Any, seconds: float, hit: bool | None) -> None:
        """Note that `src` was compiled, or found in Triton's cache on disk."""
        try:
            with self._lock:
                self._count += 1
                if self._count > _MOST_KERNELS:
                    return
                self.note_loaded()
                self._note(src, metadata, seconds, hit)
        except Exception as error:  # noqa: BLE001
            self._record.trouble("kernel", error)

    def end(self, still_listening: Any = None) -> None:
        """Write down what was not known before."""
        try:
            with self._lock:
                self.note_loaded()
            triton_inductor.note(self._record)
            if self._count > _MOST_KERNELS:
                why = f"{self._count - _MOST_KERNELS} after the first {_MOST_KERNELS}"
                self._record.note("missing", what="Triton kernels", why=why)
            if still_listening is not None and not still_listening():
                why = "the program put a listener of its own in place"
                self._record.note("missing", what="Triton kernels", why=why)
        except Exception as error:  # noqa: BLE001
            self._record.trouble("kernels", error)

    def _note(self, src: Any, metadata: Any, seconds: float, hit: bool | None) -> None:
        name = str(metadata.get("hash", ""))
        function = getattr(src, "fn", None)
        if function is not None and name:
            self._waiting[name] = weakref.ref(function)
        calls = getattr(active, "calls", ())
        self._record.note(
            "kernel",
            at=time.time() - seconds,
            seconds=seconds,
            name=str(getattr(src, "name", "") or metadata.get("name", ""))[:300],
            hash=name,
            hit=hit,
            arguments=arguments(src),
            options={key: str(metadata[key]) for key in _OPTIONS if metadata.get(key) is not None},
            shared=metadata.get("shared"),
            tuning=getattr(tuning, "depth", 0) > 0,
            ids=[name for call in calls for name in call.ids][:20],
            **place(function),
            **launch(),
        )

    def note_loaded(self) -> None:
        """Registers and spills are known from a kernel's first launch on."""
        for name, reference in list(self._waiting.items()):
            function = reference()
            if function is None:
                del self._waiting[name]
                continue
            for kernel in _kernels_of(function):
                if getattr(kernel, "hash", None) == name and _known(kernel):
                    del self._waiting[name]
                    self._record.note(
                        "loaded", hash=name, registers=kernel.n_regs, spills=kernel.n_spills
                    )
                    break


def _known(kernel: Any) -> bool:
    return isinstance(vars(kernel).get("n_regs"), int)


def _kernels_of(function: Any) -> list[Any]:
    """The compiled kernels that `function` holds, by device."""
    held = vars(function).get("device_caches") or vars(function).get("cache") or {}
    found: list[Any] = []
    for entry in list(held.values()):
        cache = entry[0] if isinstance(entry, tuple) else entry
        if isinstance(cache, dict):
            found += [kernel for kernel in list(cache.values()) if hasattr(kernel, "__dict__")]
    return found
