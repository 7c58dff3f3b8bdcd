"""Whether two runs of the program computed the same, by the digests of their calls."""

from __future__ import annotations

import math
from typing import Any

Digests = dict[tuple[int, str, int], dict[str, Any]]  # process, callable, number of the call

# Relative, against the greatest magnitude in the tensor: compiled code sums in another order.
TOLERANCES = {
    "torch.float64": 1e-7,
    "torch.complex128": 1e-7,
    "torch.float32": 1e-4,
    "torch.complex64": 1e-4,
    "torch.float16": 1e-2,
    "torch.bfloat16": 4e-2,
    "float": 1e-6,
}
TOLERANCE = "1e-4 of the greatest magnitude in float32, 4e-2 in bfloat16, none in integers"


def difference(before: Digests, after: Digests, *, partly: bool = False) -> str:
    """The first difference between the runs in words, "" where they agree.

    Of a run that was cut short, `partly` compares the calls that both have.
    """
    if partly:
        before = {call: tensors for call, tensors in before.items() if call in after}
    elif set(before) != set(after):
        odd = min(set(before) ^ set(after))
        return f"call {odd[2]} of {odd[1]} happened in one run only"
    for (process, name, index), tensors in sorted(before.items()):
        theirs = after[process, name, index]
        for path, digest in tensors.items():
            if path not in theirs:
                if path.startswith("result"):
                    return f"{path} of call {index} of {name} is missing"
                continue
            found = _differs(digest, theirs[path])
            if found:
                return f"{path} of call {index} of {name}: {found}"
    return ""


def compared(before: Digests) -> bool:
    """Whether there is anything to compare."""
    return any(before.values())


def _differs(one: dict[str, Any], other: dict[str, Any]) -> str:
    if "unread" in one or "unread" in other:
        return ""
    if one.get("shape") != other.get("shape"):
        return f"shape {one.get('shape')} became {other.get('shape')}"
    kinds = {one.get("dtype"), other.get("dtype")}
    numbers = {"int", "float", "bool"} & kinds
    if len(kinds) > 1 and not numbers:
        return f"dtype {one.get('dtype')} became {other.get('dtype')}"
    if one.get("odd", 0) != other.get("odd", 0):
        return "other elements are not finite"
    tolerance = max(TOLERANCES.get(str(kind), 0.0) for kind in kinds)
    pairs = [*zip(one.get("samples", ()), other.get("samples", ()), strict=False)]
    finite = (abs(sample) for sample, _ in pairs if math.isfinite(sample))
    allowed = tolerance * max(abs(one.get("most", 0.0)), *finite, 1e-6)
    if "mean" in one and "mean" in other:  # a plain number has none
        pairs.append((one["mean"], other["mean"]))
    for left, right in pairs:
        both = math.isfinite(left) and math.isfinite(right)
        if both and abs(left - right) > allowed:
            return f"{left:.6g} became {right:.6g}"
    return ""
