"""Whether compiled calls compute what eager calls do, from the errors of both. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import structs

from compilescope.benching import Agreement, Difference, Numerics

# The distance from 1 to the next number.
EPSILON = {
    "float64": 2.2e-16,
    "float32": 1.2e-7,
    "float16": 9.8e-4,
    "bfloat16": 7.8e-3,
    "float8_e4m3fn": 0.125,
    "float8_e5m2": 0.25,
}
# Two eager calls that are further apart than this drew random numbers, or kept a state.
RANDOM = {"float64": 1e-9, "float32": 1e-3, "float16": 2e-2, "bfloat16": 5e-2,
          "float8_e4m3fn": 0.3, "float8_e5m2": 0.3}  # fmt: skip
# Without a reference: what compiled and eager may be apart, since compiled code sums in another
# order and keeps more digits between fused operations.
APART = {"float64": 1e-9, "float32": 1e-4, "float16": 1e-2, "bfloat16": 4e-2,
         "float8_e4m3fn": 0.25, "float8_e5m2": 0.25}  # fmt: skip
_OF_PARTS = {"complex64": "float32", "complex128": "float64"}
_NOISE = 0.3  # eager's own relative error from which there is nothing left to compare
_TIMES = 4.0  # the error that compiled may have, in errors of eager
_FLOOR = 4.0  # and in epsilons, where eager has hardly any,
_SHARE = 0.1  # or as a share of what both may be apart: eager may be exact by luck
_CHANGED = ", changed in place"  # the end of the name of an input or buffer
_ORDER: tuple[Agreement, ...] = ("differs", "random", "within rounding", "same", "not compared")


def share(rows: Sequence[dict[str, Any]], inputs: int) -> str:
    """On how many of the inputs was compared, if not on all."""
    compared = len({(row["case"], row["input"]) for row in rows})
    return f"compared on {compared} of {inputs} inputs" if 0 < compared < inputs else ""


def judged(
    rows: Sequence[dict[str, Any]],
    why: str,
    cases: Sequence[str] = (),
    computed: Sequence[str] = (),
    reference: str = "float64",
) -> Numerics:
    """The verdict over all outputs and gradients of all compared inputs.

    `computed` are the dtypes that the model computes in, whatever it returns; `reference` is the
    one that the errors are beside.
    """
    if not rows:
        return Numerics("not compared", why=why or "the calls return no tensors and no numbers")
    found = [(row, _difference(row, computed)) for row in rows]
    random = [one for _, one in found if one.verdict == "random"]
    if len(random) == len(found) or not all(_follows(one) for one in random):
        exact = [(row, one) for row, one in found if row.get("again") == 0 and not _follows(one)]
        if all(one.verdict != "differs" for _, one in exact):
            rest = {one.name: one for _, one in exact}
            drawn = {one.name: one for one in random}
            return Numerics("random", why=why, rows=tuple({**rest, **drawn}.values()))
        found = exact  # what is not random must agree all the same
    worst: dict[str, Difference] = {}
    first = ""
    for row, told in found:
        one = told
        if one.verdict == "random" or (one.eager is not None and one.eager > _NOISE):
            # Such a gradient is what rounding leaves of a zero.
            one = structs.replace(one, verdict="not compared", detail="noise in eager calls too")
        if one.verdict == "differs" and not first:
            place = cases[row["case"]] if row["case"] < len(cases) else ""
            at = f" ({place})" if place else f" (input {row['input']})" if row["input"] else ""
            first = f"{one.name}{at}: {one.detail}"
        known = worst.get(one.name)
        if known is None or _rank(one) < _rank(known):
            worst[one.name] = one
    verdicts = {one.verdict for one in worst.values()}
    compared = any(one.eager is not None for one in worst.values())
    return Numerics(
        next(one for one in _ORDER if one in verdicts),
        reference=f"eager in {reference}" if compared else "eager",
        first=first,
        why=why,
        rows=tuple(sorted(worst.values(), key=_rank)),
    )


def _follows(one: Difference) -> bool:
    """Whether it is what a call leaves behind: a gradient, or what it changed in place."""
    return one.name.startswith("gradient ") or one.name.endswith(_CHANGED)


def _difference(row: dict[str, Any], computed: Sequence[str]) -> Difference:
    own = _OF_PARTS.get(row["dtype"], row["dtype"])
    # What is whole is not rounded, whatever it was computed from.
    verdict, detail = _verdict(row, own if "of" in row else max((own, *computed), key=_epsilon))
    found = row.get("compiled", row.get("apart"))
    return Difference(row["name"], row["dtype"], row.get("eager"), found, verdict, detail)


def _verdict(row: dict[str, Any], dtype: str) -> tuple[Agreement, str]:
    if "apart" not in row:
        return "differs", row.get("detail", "")
    again = row["again"]
    if again is None or again > RANDOM.get(dtype, 0.0):
        return "random", "two eager calls differ"
    if row.get("detail"):
        return "differs", row["detail"]
    if row["equal"]:
        return "same", ""
    if row["apart"] is None:
        return "differs", "other elements are infinite or NaN"
    return _by_error(row, dtype)


def _by_error(row: dict[str, Any], dtype: str) -> tuple[Agreement, str]:
    alone = row.get("eager") is None or row.get("compiled") is None
    if alone or row["name"].endswith(_CHANGED):
        # What is left behind may be a mean of what should be zero: it has any relative error.
        if row["apart"] <= APART.get(dtype, 0.0):
            return "within rounding", ""
        if alone:
            return "differs", _other(row) or f"{row['apart']:.1e} apart"
    if row["compiled"] <= max(_TIMES * row["eager"], _floor(dtype)):
        return "within rounding", ""
    told = f"error {row['compiled']:.1e}, eager's own {row['eager']:.1e}"
    return "differs", _other(row) or told


def _other(row: dict[str, Any]) -> str:
    """How many whole numbers are others; "" for numbers of another kind."""
    if "of" not in row:
        return ""
    return f"{row['other']:,} of {row['of']:,} elements differ{'s' * (row['other'] == 1)}"


def _floor(dtype: str) -> float:
    return max(_FLOOR * _epsilon(dtype), _SHARE * APART.get(dtype, 0.0))


def _epsilon(dtype: str) -> float:
    return EPSILON.get(dtype, 0.0)


def _rank(one: Difference) -> tuple[int, float]:
    return _ORDER.index(one.verdict), -(one.compiled or 0.0)
