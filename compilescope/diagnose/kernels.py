"""Triton kernels: those that were compiled again, with what changed; spills and slow tuning."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from compilescope.diagnose.kernel_advice import advise, spilled, tuned_often, unexplained
from compilescope.diagnose.kernel_changes import Change, changes, weight
from compilescope.diagnosis import Kernel, KernelCause
from compilescope.model import KernelCompiled, KernelTuned, Session

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_MOST_VALUES = 12
_Key = tuple[str, str, str]  # origin, name, path


def explain_kernels(session: Session) -> tuple[Kernel, ...]:
    """The program's and libraries' kernels, and of inductor's those that ask for a look.

    Those that were compiled again come first, by what that cost.
    """
    compiled: dict[_Key, list[KernelCompiled]] = defaultdict(list)
    tuned: dict[_Key, list[KernelTuned]] = defaultdict(list)
    for event in session.events:
        if isinstance(event, KernelCompiled):
            compiled[_key(event)].append(event)
        elif isinstance(event, KernelTuned):
            tuned[_key(event)].append(event)
    keys = dict.fromkeys((*compiled, *tuned))
    found = [_kernel(compiled.get(key, []), tuned.get(key, [])) for key in keys]
    shown = (item for item in found if item.origin != "inductor" or item.why)
    return tuple(
        sorted(
            shown,
            key=lambda item: (
                -sum(cause.seconds for cause in item.causes),
                not item.causes,
                not item.why,
                -item.seconds,
            ),
        )
    )


def _key(event: KernelCompiled | KernelTuned) -> _Key:
    return event.origin, event.name, event.frame.path if event.frame else ""


def _kernel(compiled: Sequence[KernelCompiled], tuned: Sequence[KernelTuned]) -> Kernel:
    first: KernelCompiled | KernelTuned = compiled[0] if compiled else tuned[0]
    spills = _most(event.spills for event in compiled if not event.tuning)
    registers = _most(event.registers for event in compiled if not event.tuning)
    causes = _causes(compiled)
    why, remedies = spilled(first, spills, registers)
    if not why:
        why, remedies = tuned_often(first, tuned)
    return Kernel(
        name=first.name,
        origin=first.origin,
        frame=first.frame,
        launched=next((event.launched for event in compiled if event.launched), None),
        compiles=sum(event.cache != "hit" and event.seconds is not None for event in compiled),
        cache_hits=sum(event.cache == "hit" for event in compiled),
        seconds=sum(event.seconds or 0.0 for event in compiled),
        interpreted=sum(event.interpreted for event in compiled),
        causes=causes,
        tuned=tuple(tuned),
        registers=registers,
        spills=spills,
        shared_bytes=_most(event.shared_bytes for event in compiled if not event.tuning),
        why=why,
        remedies=remedies,
    )


def _most(values: Iterable[int | None]) -> int | None:
    return max((value for value in values if value is not None), default=None)


def _causes(compiled: Sequence[KernelCompiled]) -> tuple[KernelCause, ...]:
    """Why each specialisation after the first was needed: what sets it apart from the nearest."""
    known: dict[int, list[KernelCompiled]] = defaultdict(list)
    found: dict[tuple[str, str], list[tuple[Change, float]]] = defaultdict(list)
    same: list[KernelCompiled] = []
    for event in compiled:
        if event.tuning or event.origin == "inductor" or not event.arguments:
            continue
        before = known[event.process]
        differing = [changes(earlier, event) for earlier in before]
        nearest = min(differing, key=weight, default=())
        for change in nearest:
            cost = (event.seconds or 0.0) / len(nearest)
            found[change.argument, change.kind].append((change, cost))
        if before and not nearest and event.cache != "hit" and not event.interpreted:
            same.append(event)
        before.append(event)
    causes = [_cause(members) for members in found.values()]
    causes += [_unknown(same)] if same else []
    return tuple(sorted(causes, key=lambda cause: (-cause.seconds, -cause.times)))


def _unknown(same: Sequence[KernelCompiled]) -> KernelCause:
    why, remedies = unexplained()
    seconds = sum(event.seconds or 0.0 for event in same)
    return KernelCause("", "unknown", why, len(same), seconds, remedies=remedies)


def _cause(members: Sequence[tuple[Change, float]]) -> KernelCause:
    first = members[0][0]
    values = tuple(
        dict.fromkeys(value for change, _ in members for value in (change.before, change.after))
    )
    why, remedies = advise(first, values)
    return KernelCause(
        argument=first.argument,
        kind=first.kind,
        why=why,
        times=len(members),
        seconds=sum(cost for _, cost in members),
        values=values[:_MOST_VALUES],
        remedies=remedies,
    )
