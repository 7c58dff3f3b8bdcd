"""Triton kernels as the agents wrote them down, as events."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from compilescope.model import Frame, KernelArgument, KernelCompiled, KernelTuned
from compilescope.paths import is_library

if TYPE_CHECKING:
    from collections.abc import Iterator

    from compilescope.probe.records import ProcessRecord

Origin: TypeAlias = Literal["program", "library", "inductor", "unknown"]


def events(
    agent: ProcessRecord, process: int
) -> Iterator[tuple[float, KernelCompiled | KernelTuned]]:
    """Every compile and every tuning with its time, of one process."""
    loaded = {note["hash"]: note for note in agent.all("loaded")}
    for note in agent.all("kernel"):
        yield note["at"], _compiled(note, process, loaded.get(note.get("hash"), {}))
    trials: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for note in agent.all("trial"):
        trials[note["group"]].append(note)
    for group in trials.values():
        yield group[0]["at"], _tuned(group, process)
    last = agent.all("end")
    end = last[-1]["at"] if last else agent.wall_ns / 1e9
    for note in agent.all("inductor_kernel"):
        yield end, _of_inductor(note, process)
        if note.get("tuning_ns"):
            yield end, _tuned_by_inductor(note, process)


def _compiled(note: dict[str, Any], process: int, loaded: dict[str, Any]) -> KernelCompiled:
    hit = note.get("hit")
    declared = set(note.get("constexprs", ()))
    return KernelCompiled(
        process=process,
        name=note.get("name", ""),
        origin=_origin(note),
        frame=_frame(note),
        launched=_launched(note),
        at=note["at"],
        seconds=note.get("seconds"),
        cache="" if hit is None else ("hit" if hit else "miss"),
        arguments=tuple(_argument(item, declared) for item in note.get("arguments", ())),
        options=note.get("options", {}),
        registers=loaded.get("registers"),
        spills=loaded.get("spills"),
        shared_bytes=note.get("shared"),
        compiles=tuple(note.get("ids", ())),
        tuning=note.get("tuning", False),
        interpreted=note.get("interpreted", False),
    )


def _argument(item: dict[str, Any], declared: set[str]) -> KernelArgument:
    kind = item.get("type", "")
    value = item.get("value", "")
    if value and item["name"] not in declared:
        # Triton turned an ordinary argument into a constant: a number that is 1, or None.
        kind = "none" if value == "None" else "int"
    return KernelArgument(item["name"], kind, value, item.get("divisible", False))


def _tuned(trials: list[dict[str, Any]], process: int) -> KernelTuned:
    timed = [note for note in trials if note.get("ms") is not None]
    best = min(timed, key=lambda note: float(note["ms"]), default=None)
    return KernelTuned(
        process=process,
        name=trials[0].get("name", ""),
        origin=_origin(trials[0]),
        frame=_frame(trials[0]),
        launched=_launched(trials[0]),
        at=trials[0]["at"],
        seconds=sum(note["seconds"] for note in trials),
        key=trials[0].get("key", ""),
        trials=len(trials),
        failed=len(trials) - len(timed),
        winner=best["config"] if best else "",
        best_seconds=best["ms"] / 1e3 if best else None,
        cache="miss",
    )


def _of_inductor(note: dict[str, Any], process: int) -> KernelCompiled:
    return KernelCompiled(
        process=process,
        name=note.get("name", ""),
        origin="inductor",
        registers=note.get("registers"),
        spills=note.get("spills"),
        shared_bytes=note.get("shared"),
        options={"winner": note["winner"]} if note.get("winner") else {},
    )


def _tuned_by_inductor(note: dict[str, Any], process: int) -> KernelTuned:
    return KernelTuned(
        process=process,
        name=note.get("name", ""),
        origin="inductor",
        seconds=note["tuning_ns"] / 1e9,
        trials=note.get("configs", 0),
        winner=note.get("winner", ""),
        cache="hit" if note.get("cache") == "hit" else "miss",
    )


def _origin(note: dict[str, Any]) -> Origin:
    if note.get("inductor"):
        return "inductor"
    path = note.get("path", "")
    if not path:
        return "unknown"
    return "library" if is_library(path) else "program"


def _frame(note: dict[str, Any]) -> Frame | None:
    path = note.get("path", "")
    return Frame(path, note.get("line", 0), note.get("function", "")) if path else None


def _launched(note: dict[str, Any]) -> Frame | None:
    path = note.get("launched", "")
    if not path:
        return None
    return Frame(path, note.get("launch_line", 0), note.get("launch_function", ""))
