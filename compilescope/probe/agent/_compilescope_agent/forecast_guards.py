"""Which graphs take which inputs, asked of their guards: nothing is called."""

from __future__ import annotations

import inspect
import sys
from typing import TYPE_CHECKING, Any

from .callables import code_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .forecast_inputs import Candidate
    from .forecast_note import Noted
    from .forecast_samples import Watched


def smallest(watched: Watched, wanted: Sequence[Noted]) -> list[Noted] | None:
    """The fewest of `wanted` found whose graphs take all of them; None where guards cannot tell.

    Only for what compiles one graph for each input, and the same one whatever came before it:
    `dynamic=True`, without breaks.
    """
    if watched.dynamic is not True or watched.is_cut:
        return None
    entries = {str(entry.compile_id): entry for entry in _entries(watched)}
    taken = {}
    for noted in wanted:
        names = noted.ids
        if len(names) != 1 or names[0] not in entries:
            return None
        taken[noted] = entries[names[0]]
    serving = _serving(watched, taken)
    if any(noted not in serving[noted] for noted in wanted):
        return None  # guards on what a call alone has, such as the cells of a closure
    return _fewest(wanted, serving)


def _entries(watched: Watched) -> list[Any]:
    inner = watched.module.forward if watched.module is not None else watched.function
    eval_frame: Any = sys.modules["torch._dynamo.eval_frame"]
    code = code_of(inner)
    return list(eval_frame._debug_get_cache_entry_list(code)) if code is not None else []  # noqa: SLF001


def _serving(watched: Watched, taken: dict[Noted, Any]) -> dict[Noted, set[Noted]]:
    """For each input those whose graphs take it."""
    found = {}
    for noted in taken:
        with noted.candidate.sample.ambient.again(watched.module):
            held = _locals(watched, noted.candidate)
            found[noted] = {
                other for other, entry in taken.items() if entry.guard_manager.check(held)
            }
    return found


def _locals(watched: Watched, candidate: Candidate) -> dict[str, Any]:
    """The variables of the function as the call begins."""
    torch: Any = sys.modules["torch"]
    with torch.no_grad():
        args, kwargs = candidate.build()
    function = watched.function
    if watched.module is not None:
        function, args = type(watched.module).forward, (watched.module, *args)
    bound = inspect.signature(function).bind(*args, **kwargs)
    bound.apply_defaults()
    return dict(bound.arguments)


def _fewest(wanted: Sequence[Noted], serving: dict[Noted, set[Noted]]) -> list[Noted]:
    kept = dict.fromkeys(wanted)
    # Observed sizes are often served by the general graph; what is most special goes last.
    for noted in sorted(wanted, key=lambda one: (one.rank != 1, -one.rank, -one.specials)):
        rest = kept.keys() - {noted}
        if all(serving[one] & rest for one in wanted):
            del kept[noted]
    return sorted(kept, key=lambda one: (one.rank, one.specials))
