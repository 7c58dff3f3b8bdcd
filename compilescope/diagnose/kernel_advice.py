"""Words and remedies for Triton kernels: compiled again, spilling, tuned too often."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from compilescope.diagnose.notices_cudagraphs import NOTHING, fix

if TYPE_CHECKING:
    from collections.abc import Sequence

    from compilescope.diagnose.kernel_changes import Change
    from compilescope.diagnosis import Remedy
    from compilescope.model import KernelCompiled, KernelTuned

_NUMBER = re.compile(r"-?\d")
_TUNED = ("num_warps", "num_stages", "num_ctas", "maxnreg")
SLOW_TUNING = 0.5
"""Seconds from which tuning is worth a word."""
_MOST_REGISTERS = 255  # of a thread, on all NVIDIA GPUs that Triton knows
_GENERATED = "triton_"  # names of inductor's own
_SPILLS = 16  # inductor itself discards a configuration with more

Advice = tuple[str, "tuple[Remedy, ...]"]


def advise(change: Change, values: Sequence[str]) -> Advice:
    """Why the change made Triton compile again, and what to do about it."""
    name = change.argument
    match change.kind:
        case "one":
            return _one(name)
        case "divisible":
            return _divisible(name)
        case "alignment":
            return _alignment(name)
        case "constexpr":
            return _constexpr(name, values)
        case "option":
            why = (
                f"`{name}` was {change.before or 'unset'} and then {change.after or 'unset'}. "
                "Each value is a kernel of its own."
            )
            chosen = ", or let autotuning choose it once" if name in _TUNED else ""
            return why, (fix("fix_option", f"Launch with one `{name}`{chosen}"),)
        case "width":
            return (
                f"`{name}` came as {change.before} and as {change.after}. The width of an integer "
                "is part of the kernel. " + NOTHING,
                (),
            )
        case "dtype":
            why = (
                f"`{name}` was {change.before} and then {change.after}. Triton compiles a kernel "
                "for each dtype."
            )
            return why, (
                fix("one_dtype", f"Convert `{name}` before the launch, if both mean the same"),
            )
        case _:
            return _of_kind(change)


def _of_kind(change: Change) -> Advice:
    """Changes whose advice is a sentence."""
    name, before, after = change.argument, change.before, change.after
    match change.kind:
        case "none":
            given = before if after == "None" else after
            why = f"`{name}` is None in some launches and {given} in others, a kernel for either."
            return f"{why} {NOTHING}", ()
        case "bool":
            why = (
                f"`{name}` is True in some launches and False in others. Triton up to 3.2 takes "
                "False as a multiple of 16, in a kernel of its own."
            )
            return f"{why} {NOTHING}", ()
        case "number":
            why = f"`{name}` is a float in some launches and an integer in others."
            return why, (fix("one_number", "Pass numbers of one kind", f"{name} = float({name})"),)
        case "block":
            why = (
                f"The block of the descriptor `{name}` was {before} and then {after}. A block's "
                "shape is a constant of the kernel."
            )
            return why, (fix("one_block", f"Make `{name}` with one block shape"),)
        case "length":
            why = f"The tuple `{name}` had {before} elements and then {after}, a kernel for each."
            return f"{why} {NOTHING}", ()
        case _:
            return f"`{name}` was {before} and then {after}.", ()


def unexplained() -> Advice:
    """What is said of a compile that equals an earlier one, as far as it is known."""
    why = (
        "Nothing that compilescope records had changed: it was compiled for another device, from "
        "a new function object, or for what Triton does not tell."
    )
    return why, ()


def _one(name: str) -> Advice:
    why = (
        f"`{name}` is an integer that was 1 in one launch and not in another. Triton makes a 1 a "
        "constant, in a kernel of its own."
    )
    return why, (_free(name, "loses what Triton makes of a stride or size that is 1"),)


def _divisible(name: str) -> Advice:
    why = (
        f"`{name}` is a multiple of 16 in some launches and not in others. Triton compiles a "
        "kernel for either, so that one of them may use wide loads."
    )
    return why, (
        _free(name, "loads that rely on the multiple of 16 become narrower"),
        fix(
            "pad_to_16",
            f"Or pad the tensors, so that `{name}` is always a multiple of 16",
            "x = torch.nn.functional.pad(x, (0, -x.shape[-1] % 16))",
            price="memory and work for the padding",
            limits="what is computed for the padding must be cut off",
        ),
    )


def _free(name: str, price: str) -> Remedy:
    if name.endswith("]"):
        return fix(
            "own_argument",
            f"Pass `{name}` as an argument of its own and name that in `do_not_specialize`",
            price=price,
            limits="Triton looks at the elements of a tuple in any case",
        )
    return fix(
        "do_not_specialize",
        f"Tell Triton not to look at the value of `{name}`",
        f'@triton.jit(do_not_specialize=["{name}"])',
        price=price,
    )


def _alignment(name: str) -> Advice:
    why = (
        f"`{name}` begins at a multiple of 16 bytes in some launches and not in others, as "
        "slices do. Triton compiles a kernel for either."
    )
    return why, (
        fix(
            "aligned",
            "Pass tensors that own their memory, or copy the slice",
            f"{name} = {name}.clone()",
            price="a copy",
        ),
        fix(
            "do_not_specialize_on_alignment",
            f"Or tell Triton not to look at the alignment of `{name}`",
            f'@triton.jit(do_not_specialize_on_alignment=["{name}"])',
            price="loads and stores become narrower",
        ),
    )


def _constexpr(name: str, values: Sequence[str]) -> Advice:
    shown = ", ".join(values[:4]) + (" and others" if len(values) > 4 else "")
    why = (
        f"`{name}` is a `tl.constexpr`: each value is compiled into a kernel of its own. It was "
        f"{shown}."
    )
    if not any(_NUMBER.match(value) for value in values):
        return f"{why} {NOTHING}", ()  # a flag, a dtype, a function: no ordinary argument can be it
    numbers = [int(value) for value in values if value.isdigit()]
    powers = bool(numbers) and all(number & (number - 1) == 0 for number in numbers)
    remedies = [
        fix(
            "runtime_argument",
            f"If `{name}` shapes no block, make it an ordinary argument",
            f"{name},  # without `: tl.constexpr`",
            limits="`tl.arange` and block shapes need constants",
        )
    ]
    if numbers and not powers:
        remedies.append(
            fix(
                "next_power_of_2",
                "Or round it up, and pass the true number as well, for the mask",
                f"{name} = triton.next_power_of_2({name})",
                price="lanes that are masked off",
                limits="the kernel must mask the rest",
            )
        )
    return why, tuple(remedies)


def spilled(
    event: KernelCompiled | KernelTuned, spills: int | None, registers: int | None
) -> Advice:
    """What spilled registers mean; "" where there are none, or too few to matter in inductor's."""
    # A program's kernel inside of a compiled function is compiled by inductor under its own name.
    generated = event.origin == "inductor" and event.name.startswith(_GENERATED)
    if not spills or (generated and spills <= _SPILLS):
        return "", ()
    why = (
        f"{spills} registers of each thread do not fit and go to memory. It matters only if this "
        "kernel is among the slow ones."
    )
    if generated:
        return why, (
            fix(
                "coordinate_descent",
                "Let inductor try more configurations, and measure",
                "torch._inductor.config.coordinate_descent_tuning = True",
                price="longer compiles",
            ),
        )
    smaller = fix("smaller_block", "Use smaller blocks or more warps, and measure")
    if registers is None or registers >= _MOST_REGISTERS:
        return why, (smaller,)
    more = fix(
        "maxnreg",
        f"Or allow a thread more than its {registers} registers",
        f"kernel[grid](..., maxnreg={_MOST_REGISTERS})",
        price="fewer threads run at once",
    )
    return why, (smaller, more)


def tuned_often(event: KernelCompiled | KernelTuned, tuned: Sequence[KernelTuned]) -> Advice:
    """Whether the tuning took long, and why; "" where it did not."""
    fresh = [item for item in tuned if item.cache != "hit"]
    seconds = sum(item.seconds or 0.0 for item in fresh)
    if seconds < SLOW_TUNING:
        return "", ()
    trials = sum(item.trials for item in fresh)
    if event.origin == "inductor":
        why = (
            f"Inductor tried {trials} configurations of this kernel, which took {seconds:.1f} s. "
            "The choice is kept in its cache for the next run."
        )
        return why, ()
    keys = tuple(dict.fromkeys(item.key for item in fresh if item.key))
    fewer = fix("fewer_configs", "List fewer configurations, or prune them by a model of the cost")
    cache = fix(
        "cache_results",
        "Keep the results for the next run",
        "@triton.autotune(..., cache_results=True)",
        since="2.8",
        limits="Triton 3.4 and newer, and no `pre_hook`",
    )
    if len(keys) > 1:
        each = "once for each value of its key"
        if len(fresh) > len(keys):
            each = "once for each value of its key and each dtype of the arguments"
        why = (
            f"`triton.autotune` ran {len(fresh)} times, {each}, and took {seconds:.1f} s for "
            f"{trials} trials. The key was {'; '.join(keys[:3])}"
            + (" and others." if len(keys) > 3 else ".")
        )
        return why, (
            fix(
                "coarse_key",
                "Tune for classes of sizes: pass a rounded size and name that in `key`",
                "size_class = triton.next_power_of_2(n)",
            ),
            cache,
            fewer,
        )
    return (
        f"`triton.autotune` tried {trials} configurations, which took {seconds:.1f} s.",
        (cache, fewer),
    )
