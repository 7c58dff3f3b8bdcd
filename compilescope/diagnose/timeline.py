"""Calls in time: what a steady call costs, which call paid for which compile, and how much."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from compilescope.diagnosis import CallSeries
from compilescope.model import Called, Compiled, Session

CompileKey = tuple[int, str]  # process, compile id


@dataclass(frozen=True)
class Payment:
    """A call that paid for a compile."""

    call: Called
    seconds_lost: float  # this compile's share of what the call cost beyond a steady one


class Timeline:
    """The calls of a session, by callable."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._calls: dict[tuple[int, int], list[Called]] = defaultdict(list)
        self._compile_seconds: dict[CompileKey, float] = defaultdict(float)
        for event in session.events:
            if isinstance(event, Called):
                self._calls[event.process, event.callable].append(event)
            elif isinstance(event, Compiled) and not event.backward:
                self._compile_seconds[event.process, event.compile_id] += event.seconds or 0.0
        self._signatures = {
            key: [(call.index, call.signature) for call in calls if call.signature is not None]
            for key, calls in self._calls.items()
        }
        self._steady = {key: _steady(calls) for key, calls in self._calls.items()}
        self._payments = self._pay()

    def payment(self, key: CompileKey) -> Payment | None:
        """The call that paid for this compile, if calls were recorded."""
        return self._payments.get(key)

    def series(self) -> tuple[CallSeries, ...]:
        """Every callable's calls, the most expensive callable first."""
        found = [self._series(key, calls) for key, calls in self._calls.items()]
        return tuple(sorted(found, key=lambda series: -sum(series.seconds)))

    def count(self) -> int:
        """Calls of all callables."""
        return sum(len(calls) for calls in self._calls.values())

    def eager_calls(self, process: int, callables: Iterable[int]) -> list[Called]:
        """Calls that ran eagerly, in order."""
        return [
            call
            for index in callables
            for call in self._calls.get((process, index), ())
            if call.eager
        ]

    def eager_call_at(self, process: int, at: float) -> Called | None:
        """The one call that ran eagerly at that time; None where it may have been another.

        torch writes times in milliseconds.
        """
        found = [
            call
            for (owner, _), calls in self._calls.items()
            if owner == process
            for call in calls
            if call.eager and call.at - 0.001 <= at <= call.at + call.seconds + 0.001
        ]
        return found[0] if len(found) == 1 else None

    def signature(self, call: Called) -> int | None:
        """The signature in force at `call`: its own, or the last one recorded before it."""
        changes = self._signatures[call.process, call.callable]
        at = bisect_right(changes, call.index, key=lambda change: change[0])
        return changes[at - 1][1] if at else None

    def _series(self, key: tuple[int, int], calls: list[Called]) -> CallSeries:
        process, index = key
        compiled = tuple(i for i, call in enumerate(calls) if call.compiles)
        known = index < len(self._session.callables)
        last = compiled[-1] + 1 if compiled else 0
        return CallSeries(
            name=self._session.callables[index].name if known else f"callable {index}",
            process=process,
            seconds=tuple(call.seconds for call in calls),
            compiled=compiled,
            eager=tuple(i for i, call in enumerate(calls) if call.eager),
            steady=self._steady[key],
            steady_from=last if last < len(calls) else None,
            callable=index,
            at=tuple(call.at for call in calls),
            device=_device(calls),
            device_steady=_device_steady(calls),
        )

    def _pay(self) -> dict[CompileKey, Payment]:
        payments: dict[CompileKey, Payment] = {}
        for key, calls in self._calls.items():
            for call in calls:
                extra = max(0.0, call.seconds - (self._steady[key] or 0.0))
                whole = sum(self._compile_seconds[call.process, item] for item in call.compiles)
                for item in call.compiles:
                    own = self._compile_seconds[call.process, item]
                    share = own / whole if whole else 1 / len(call.compiles)
                    payment = Payment(call, extra * share)
                    known = payments.get((call.process, item))
                    # A compile inside nested compiled calls is paid by the innermost of them.
                    if known is None or known.call.seconds > call.seconds:
                        payments[call.process, item] = payment
        return payments


def _steady(calls: list[Called]) -> float | None:
    plain = [call.seconds for call in calls if _is_steady(call)]
    return median(plain) if plain else None


def _is_steady(call: Called) -> bool:
    return not (call.compiles or call.eager or call.error)


def _device(calls: list[Called]) -> tuple[float | None, ...]:
    found = tuple(call.device_seconds for call in calls)
    return found if any(value is not None for value in found) else ()


def _device_steady(calls: list[Called]) -> float | None:
    timed = [
        call.device_seconds
        for call in calls
        if call.device_seconds is not None and _is_steady(call)
    ]
    return median(timed) if timed else None
