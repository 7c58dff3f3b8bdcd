"""What a service links against: the ways out of recompilation, with torch and nothing else.

    from compilescope import mitigations

    mitigations.load_cache("cache.cscope", model)          # what an earlier process compiled
    mitigations.warm_up(compiled, topologies)              # compile before the first request
    mitigations.freeze_after_warm_up()                     # and never again after it

Nothing here needs click, rich, msgspec or any other dependency of the command line, and importing
it imports no torch: each name is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from compilescope.mitigations.ahead import AheadOfTime, aot_or_eager
    from compilescope.mitigations.background import (
        BackgroundCompiled,
        background_compile,
    )
    from compilescope.mitigations.bounds import suggest_bounds
    from compilescope.mitigations.cache import CacheContents, load_cache, save_cache
    from compilescope.mitigations.events import Event
    from compilescope.mitigations.warming import (
        Freeze,
        WarmedUp,
        freeze_after_warm_up,
        warm_up,
    )
    from compilescope.mitigations.watching import Compile, Watched, watch
    from compilescope.mitigations.yielding import Yielding

__all__ = [
    "AheadOfTime",
    "BackgroundCompiled",
    "CacheContents",
    "Compile",
    "Event",
    "Freeze",
    "WarmedUp",
    "Watched",
    "Yielding",
    "aot_or_eager",
    "background_compile",
    "freeze_after_warm_up",
    "load_cache",
    "save_cache",
    "suggest_bounds",
    "warm_up",
    "watch",
]

_PLACES = {
    "AheadOfTime": "ahead",
    "aot_or_eager": "ahead",
    "suggest_bounds": "bounds",
    "BackgroundCompiled": "background",
    "Compile": "watching",
    "Event": "events",
    "Watched": "watching",
    "watch": "watching",
    "Yielding": "yielding",
    "background_compile": "background",
    "CacheContents": "cache",
    "Freeze": "warming",
    "WarmedUp": "warming",
    "freeze_after_warm_up": "warming",
    "load_cache": "cache",
    "save_cache": "cache",
    "warm_up": "warming",
}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
