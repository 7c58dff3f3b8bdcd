"""Which settings to try next, in rounds: marks and padding first, then the modes on the best."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from msgspec import structs

from compilescope.bench.verdict import best, is_sound
from compilescope.benching import Case, Setting, Trial

AUTOTUNED = "max-autotune-no-cudagraphs"
GRAPHED = "reduce-overhead"
BOTH = "max-autotune"
_PAD = 8
_MOST_GRAPHS = 8  # sizes for each of which recording a CUDA graph is still worth trying


@dataclass(frozen=True)
class Known:
    """What the first process told about the subject; empty before."""

    cases: Sequence[Case] = ()
    device: str = ""
    backend: str = "inductor"

    @property
    def inputs(self) -> int:
        """How many kinds of inputs there are."""
        return sum(len(case.inputs) for case in self.cases)


class Search:
    """Goes on from the settings of a plan to better ones."""

    def __init__(self, given: Sequence[Setting], *, side_by_side: bool) -> None:
        self.left_out: list[str] = []  # what is not tried, and why
        self.ends = False  # whether the round at hand is the last that is sure to come
        self._given = tuple(given)
        self._side_by_side = side_by_side

    def rounds(
        self, trials: Sequence[Trial], known: Callable[[], Known]
    ) -> Iterator[tuple[Setting, ...]]:
        """The settings of each round; `trials` must have those of the last before the next.

        Side by side, marks and padding join the first round, before it is known whether any size
        varies or there is a GPU: a process that finds nothing to mark, or whose matrices inductor
        does not pad, ends at once.
        """
        marks = _marks(self._given[0])
        yield self._given + ((*marks, _unpadded(marks[-1])) if self._side_by_side else ())
        several = known().inputs > 1
        if several and not self._side_by_side:
            yield marks
        if several and self._recompiled(trials):
            self.ends = self._side_by_side
            modes = self._modes(trials, known()) if self._side_by_side else ()
            yield (*self._variable(trials, known()), *modes)
        self.ends = True
        base = self._base(trials)
        yield self._modes(trials, known())
        if self._both_help(trials, base):
            yield (structs.replace(base, mode=BOTH),)

    def _base(self, trials: Sequence[Trial]) -> Setting:
        chosen = best(trials)
        if chosen is not None:
            return _cheapest(trials, chosen).setting
        good = [one for one in trials if one.ratio and one.numerics.verdict != "differs"]
        closest = max(good, key=lambda one: one.ratio.value if one.ratio else 0.0, default=None)
        return closest.setting if closest else self._given[0]

    def _recompiled(self, trials: Sequence[Trial]) -> bool:
        base = self._base(trials)
        return any(one.recompiles for one in trials if one.setting == base)

    def _both_help(self, trials: Sequence[Trial], base: Setting) -> bool:
        """Whether the autotuner and CUDA graphs are each faster than without."""
        ratio = {one.setting: one.ratio.value for one in trials if one.ratio}
        modes = [structs.replace(base, mode=mode) for mode in (AUTOTUNED, GRAPHED)]
        known = all(one in ratio for one in (base, *modes))
        return known and all(ratio[one] > ratio[base] for one in modes)

    def _variable(self, trials: Sequence[Trial], known: Known) -> Iterator[Setting]:
        """For sizes that recompile though they are marked."""
        base = self._base(trials)
        yield structs.replace(base, dynamic="unbacked")
        if (known.device, known.backend) == ("cuda", "inductor"):
            yield _unpadded(base)

    def _modes(self, trials: Sequence[Trial], known: Known) -> tuple[Setting, ...]:
        modes = {AUTOTUNED: "", GRAPHED: ""}
        if known.backend != "inductor":
            modes = dict.fromkeys(modes, f"the backend {known.backend} has no modes")
        elif known.device and known.device != "cuda":
            modes[GRAPHED] = f"CUDA graphs need a GPU, this ran on {known.device}"
        elif known.inputs > _MOST_GRAPHS:
            modes[GRAPHED] = (
                f"it would record a CUDA graph for each of {known.inputs} inputs, which takes"
                f" time and memory; --modes {GRAPHED} tries it"
            )
        for mode, why in modes.items():
            note = f"the search left out {mode}: {why}"
            if why and note not in self.left_out:
                self.left_out.append(note)
        base = self._base(trials)
        return tuple(structs.replace(base, mode=mode) for mode, why in modes.items() if not why)


def _cheapest(trials: Sequence[Trial], chosen: int) -> Trial:
    """The one that compiles least, of those that are perhaps as fast as the best.

    In a mode with an autotuner each of its graphs takes many times as long to compile.
    """
    fastest = trials[chosen]
    assert fastest.ratio is not None
    least = fastest.ratio.low or fastest.ratio.value
    equal = [
        one
        for one in trials
        if one.ratio and (one.ratio.high or one.ratio.value) >= least and is_sound(one)
    ]
    return min([fastest, *equal], key=lambda one: one.recompiles)


def _marks(base: Setting) -> tuple[Setting, ...]:
    marked = structs.replace(base, dynamic="marked")
    return marked, structs.replace(marked, pad=base.pad or _PAD)


def _unpadded(setting: Setting) -> Setting:
    """Without inductor's padding: a padded tensor that is returned and saved has a fixed stride."""
    return structs.replace(setting, shape_padding=False)
