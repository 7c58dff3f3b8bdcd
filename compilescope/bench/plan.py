"""What to bench and in which settings."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from compilescope.benching import Dynamic, Setting
from compilescope.errors import UsageError

MODES = ("default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs")
DYNAMIC = tuple(name for name in get_args(Dynamic) if name)
_SIZES = re.compile(r"(?P<name>[A-Za-z_]\w*)=(?P<sizes>\d+(?:,\d+)*)")


@dataclass(frozen=True)
class Plan:
    """What to measure, how, and for how long."""

    python: str
    name: str
    call: str = ""  # module:function or file.py:function
    script: tuple[str, ...] = ()  # the program and its arguments
    module: bool = False  # `script` begins with the name of a module
    settings: tuple[Setting, ...] = (Setting(),)
    jobs: int = 1  # settings that compile side by side
    overlay: dict[str, Any] = field(default_factory=dict)  # what settings called tuned apply
    search: bool = False  # go on from the settings to better ones
    shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    train: bool = False
    optimizer: str = ""
    autocast: str = ""
    backend: str = ""
    calls: int = 64  # of the program that are kept
    only: str = ""
    seconds: float = 4.0  # of measuring, a setting
    minutes: float = 30.0  # for everything
    warm_cache: bool = True
    numerics: bool = True
    quiet: bool = False
    keep: Path | None = None
    folder: Path = Path(".compilescope")  # where tune's result would be
    notes: tuple[str, ...] = ()  # on where the program came from

    def specification(self, setting: Setting, out: Path, *, measure: bool) -> dict[str, Any]:
        """What the process that measures `setting` is told."""
        from compilescope.probe.launcher import AGENT

        return {
            "out": str(out),
            "measure": measure,
            # A second process shows whether the ratio is that of any process.
            "seconds": self.seconds if measure else self.seconds / 2,
            "call": self.call,
            "script": self.script,
            "module": self.module,
            "calls": self.calls,
            "only": self.only,
            "shapes": self.shapes,
            "train": self.train,
            "optimizer": self.optimizer,
            "autocast": self.autocast,
            "backend": self.backend,
            "numerics": self.numerics,
            "overlay": self.overlay if setting.tuned else {},
            "agent": str(AGENT),
            "setting": {
                "mode": setting.mode,
                "dynamic": setting.dynamic,
                "pad": setting.pad,
                "compile_optimizer": setting.compile_optimizer,
                "shape_padding": setting.shape_padding,
            },
        }


def settings(
    modes: str, dynamic: str, pad: Sequence[int] = (), *, compile_optimizer: bool = False
) -> tuple[Setting, ...]:
    """Every combination of the named modes, dynamic settings and paddings.

    Raises:
        UsageError: torch.compile has no such mode or setting.
    """
    chosen = _chosen(modes, MODES, "mode")
    ways = _chosen(dynamic, DYNAMIC, "dynamic setting")
    return tuple(
        Setting(mode, way, multiple, compile_optimizer)
        for mode, way, multiple in itertools.product(chosen, ways, pad or (0,))
    )


def shapes(words: Iterable[str]) -> dict[str, tuple[int, ...]]:
    """`batch=1,8` and `seq=128` as sizes by name.

    Raises:
        UsageError: a word has another form.
    """
    found = {}
    for word in words:
        match = _SIZES.fullmatch(word)
        if match is None:
            raise UsageError(f"`{word}` is no size", hint="--shapes batch=1,8,64 seq=128,512")
        found[match["name"]] = tuple(dict.fromkeys(int(one) for one in match["sizes"].split(",")))
    return found


def is_sizes(word: str) -> bool:
    """Whether `word` may follow --shapes."""
    return _SIZES.fullmatch(word) is not None


def _chosen(text: str, known: Sequence[str], what: str) -> list[Any]:
    if text == "all":
        return list(known)
    lower = {name.lower(): name for name in known}
    found: list[str] = []
    for word in text.split(",") if text else [""]:
        name = lower.get(word.strip().lower()) if word else ""
        if name is None:
            raise UsageError(f"no {what} is called `{word}`", hint=f"one of: {', '.join(known)}")
        found.append(name)
    return list(dict.fromkeys(found))
