"""Whether compiled calls compute what eager calls do, from the errors of both. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import structs

from compilescope.benching import Agreement, Difference, Numerics

# The distance from 1 to the next number.
EPSILON = {
    "float64": 2.2e-16,
    "complex128": 2.2e-16,
    "float32": 1.2e-7,
    "complex64": 1.2e-7,
    "float16": 9.8e-4,
    "bfloat16": 7.8e-3,
}
# Two eager calls that are further apart than this drew random numbers, or kept a state.
RANDOM = {"float64": 1e-9, "float32": 1e-3, "float16": 2e-2, "bfloat16": 5e-2}
# Without a reference: what compiled and eager may be apart, since compiled code sums in another
# order and keeps more digits between fused operations.
APART = {"float64": 1e-9, "float32": 1e-4, "float16": 1e-2, "bfloat16": 4e-2}
_NOISE = 0.3  # eager's own relative error from which there is nothing left to compare
_TIMES = 4.0  # the error that compiled may have, in errors of eager
_FLOOR = 4.0  # and in epsilons, where eager has hardly any
_ORDER: tuple[Agreement, ...] = ("differs", "random", "within rounding", "same", "not compared")


def judged(
    rows: Sequence[dict[str, Any]],
    why: str,
    cases: Sequence[str] = (),
    computed: Sequence[str] = (),
) -> Numerics:
    """The verdict over all outputs and gradients of all compared inputs.

    `computed` are the dtypes that the model computes in, whatever it returns.
    """
    if not rows:
        return Numerics("not compared", why=why or "the calls return no tensors and no numbers")
    found = [(row, _difference(row, computed)) for row in rows]
    if any(one.verdict == "random" and not _is_gradient(one) for _, one in found):
        return _random(found, why)
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
        reference="eager in float64" if compared else "eager",
        first=first,
        why=why,
        rows=tuple(sorted(worst.values(), key=_rank)),
    )


def _random(found: Sequence[tuple[dict[str, Any], Difference]], why: str) -> Numerics:
    rows = {one.name: one for _, one in found if one.verdict == "random"}
    return Numerics("random", why=why, rows=tuple(rows.values()))


def _is_gradient(one: Difference) -> bool:
    return one.name.startswith("gradient ")


def _difference(row: dict[str, Any], computed: Sequence[str]) -> Difference:
    verdict, detail = _verdict(row, max((row["dtype"], *computed), key=_epsilon))
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
        return "differs", "other elements are finite"
    if row.get("eager") is None or row.get("compiled") is None:
        if row["apart"] <= APART.get(dtype, 0.0):
            return "within rounding", ""
        return "differs", f"{row['apart']:.1e} apart"
    if row["compiled"] <= max(_TIMES * row["eager"], _FLOOR * _epsilon(dtype)):
        return "within rounding", ""
    return "differs", f"error {row['compiled']:.1e}, eager's own {row['eager']:.1e}"


def _epsilon(dtype: str) -> float:
    return EPSILON.get(dtype, 0.0)


def _rank(one: Difference) -> tuple[int, float]:
    return _ORDER.index(one.verdict), -(one.compiled or 0.0)
