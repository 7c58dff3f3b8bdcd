"""What only a GPU has, put into entries that each text report prints in its own form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from msgspec import structs

from compilescope.diagnose.verdict import duration

from .words import few, short

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from compilescope.diagnosis import (
        CudaGraphProblem,
        Diagnosis,
        Kernel,
        KernelCause,
        Notice,
        Remedy,
    )
    from compilescope.model import Frame

KINDS = {
    "skipped": "not recorded",
    "rerecorded": "recorded again",
    "given_up": "given up",
    "many_sizes": "many sizes",
    "pending_backward": "fast path not taken",
    "overwritten": "overwritten output",
    "copied": "copied at each call",
    "recording_failed": "error while recording",
}
NOTICE = {
    "perf_hint": "performance hint",
    "tf32": "matrix products",
    "cudagraph": "CUDA graphs",
    "cudagraph_skip": "CUDA graphs skipped",
    "autotune": "autotuning",
    "deprecated": "deprecated",
    "skip": "left to Python",
    "hooks": "module hooks",
    "profiler": "profiler",
    "data_dependent": "data-dependent",
}
_UNITS = ("bytes", "KB", "MB", "GB", "TB")


@dataclass(frozen=True)
class Entry:
    """One thing to know, and what to do about it."""

    title: str
    extra: str = ""
    frame: Frame | None = None
    texts: tuple[str, ...] = ()
    remedies: tuple[Remedy, ...] = ()


@dataclass(frozen=True)
class Panel:
    """A heading with its entries."""

    heading: str
    said: str
    entries: tuple[Entry, ...]


def panels(found: Diagnosis, *, everything: bool = False) -> Iterator[Panel]:
    """CUDA graphs, Triton's kernels, device memory and notices, as far as the run has them.

    Args:
        found: What to show.
        everything: Whether notices that ask for nothing are listed, and not only counted.
    """
    if found.cudagraphs is not None:
        graphs = found.cudagraphs
        said = graphs.summary
        if graphs.folded > 1:
            said += f" ({graphs.folded:,} records of the log say only this.)"
        if graphs.pools:
            pools = few(len(graphs.pools), "memory pool")
            said += f" They hold {size(sum(graphs.pools))} in {pools}."
        yield Panel("CUDA graphs", said, tuple(_problem(item) for item in graphs.problems))
    if found.kernels:
        again = [kernel for kernel in found.kernels if kernel.causes]
        python = sum(bool(kernel.interpreted) for kernel in again)
        compiled = len(again) - python
        said = f"{few(compiled, 'kernel')} compiled again." if compiled else ""
        if python:
            them = "it" if python == 1 else "them"
            said += f" {few(python, 'kernel')} ran in Python; a GPU would compile {them} again."
        yield Panel("Triton kernels", said.strip(), tuple(map(_kernel, found.kernels)))
    if memory := _memory(found):
        yield Panel("Device memory", memory, ())
    yield from _notices(found, everything=everything)


def _notices(found: Diagnosis, *, everything: bool) -> Iterator[Panel]:
    own = [notice for notice in found.notices if not told_elsewhere(notice, found)]
    idle = [notice for notice in own if notice.why and not notice.remedies]
    if not own:
        return
    shown = own if everything else [notice for notice in own if notice not in idle]
    said = ""
    if len(own) > len(shown):
        ask = ("more asks", "more ask") if shown else ("notice asks", "notices ask")
        said = f"{few(len(own) - len(shown), *ask)} for nothing."
    yield Panel("Notices", said, tuple(map(_notice, shown)))


def told_elsewhere(notice: Notice, found: Diagnosis) -> bool:
    """Whether the panel on CUDA graphs has what this notice says."""
    if found.cudagraphs is None:
        return False
    texts = {problem.text for problem in found.cudagraphs.problems}
    return notice.kind.startswith("cudagraph") or notice.text in texts


def steady(found: Diagnosis) -> str:
    """How long a steady call takes where it was timed on the device too, "" elsewhere."""
    series = found.calls[0] if found.calls else None
    if series is None or series.steady is None or series.device_steady is None:
        return ""
    return (
        f"a steady call: {duration(series.steady)} in Python,"
        f" {duration(series.device_steady)} on the GPU"
    )


def size(count: int) -> str:
    """Bytes for people, in powers of 1000."""
    value = float(count)
    for unit in _UNITS[:-1]:
        if value < 999.5:  # three digits of more would be 1e+03
            return f"{value:.3g} {unit}"
        value /= 1000
    return f"{value:,.3g} {_UNITS[-1]}"


def _notice(item: Notice) -> Entry:
    times = few(item.times, "time") if item.times > 1 else ""
    texts = (item.why or item.text.splitlines()[0],)
    return Entry(NOTICE.get(item.kind, "warning"), times, item.frame, texts, item.remedies)


def _problem(item: CudaGraphProblem) -> Entry:
    times = few(item.times, "time") if item.times > 1 else ""
    texts = (item.why or item.text.splitlines()[0],)
    return Entry(KINDS[item.kind], times, item.frame, texts, item.remedies)


def _kernel(kernel: Kernel) -> Entry:
    extra = [few(kernel.compiles, "compile")] if kernel.compiles else []
    extra += [few(kernel.cache_hits, "cache hit")] if kernel.cache_hits else []
    extra += [few(kernel.interpreted, "specialisation")] if kernel.interpreted else []
    extra += [duration(kernel.seconds)] if kernel.seconds else []
    texts = [f"{cause.why} ({cost(kernel, cause)})" for cause in kernel.causes]
    texts += [kernel.why] if kernel.why else []
    if kernel.launched and kernel.causes:
        texts.append(f"First launched at {short(kernel.launched.path)}:{kernel.launched.line}.")
    if kernel.registers is not None:
        shared = f", {size(kernel.shared_bytes)} of shared memory" if kernel.shared_bytes else ""
        texts.append(f"{kernel.registers} registers a thread{shared}.")
    remedies: Sequence[Remedy] = [one for cause in kernel.causes for one in cause.remedies]
    distinct = _distinct((*remedies, *kernel.remedies))
    return Entry(kernel.name, ", ".join(extra), kernel.frame, tuple(texts), distinct)


def cost(kernel: Kernel, cause: KernelCause) -> str:
    """How often, and for how long, a kernel was compiled for this reason."""
    if kernel.interpreted:
        return f"{few(cause.times, 'more kernel')} on a GPU"
    return f"{few(cause.times, 'compile')}, {duration(cause.seconds)}"


def _distinct(remedies: Iterable[Remedy]) -> tuple[Remedy, ...]:
    """Each remedy once, with every price that it has."""
    found: dict[tuple[str, str], Remedy] = {}
    for one in remedies:
        known = found.setdefault((one.text, one.snippet), one)
        if one.price not in known.price:
            price = f"{known.price}; {one.price}"
            found[one.text, one.snippet] = structs.replace(known, price=price)
    return tuple(found.values())


def _memory(found: Diagnosis) -> str:
    peaks = [item.peak_allocated for item in found.devices if item.peak_allocated]
    said = []
    if peaks:
        most = max(found.devices, key=lambda item: item.peak_allocated or 0)
        total = f" of {size(most.total)}" if most.total else ""
        reserved = f", {size(most.peak_reserved)} reserved" if most.peak_reserved else ""
        said.append(f"At most {size(max(peaks))}{total} in use{reserved}.")
    for item in found.memory[:3]:
        call = f" at call {item.call:,}" if item.call is not None else ""
        name = f" of {item.frame.function}" if item.frame and item.frame.function else ""
        said.append(f"Graph {item.compile_id}{name} reached {size(item.peak_bytes)}{call}.")
    return " ".join(said)
