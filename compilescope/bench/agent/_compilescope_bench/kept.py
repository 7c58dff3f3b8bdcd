"""Results kept for comparison, and how far two of them are apart."""

from __future__ import annotations

from typing import Any

from .library import torch

_MOST = 1 << 22  # elements of a tensor that are compared
CHANGED = ", changed in place"  # the end of the name of an input or buffer
Results = dict[str, Any]


class Kept:
    """A result for comparison: its shape, and its elements or an even sample of them."""

    def __init__(self, value: Any, like: Results | None, name: str) -> None:
        one = value.detach()
        self.whole = tuple(int(size) for size in one.shape)
        self.kind = one.dtype
        other = like.get(name) if like else None
        if other is not None and len(other.whole) == one.dim() and other.whole != self.whole:
            # Padded: what is compared is the part that is not padding.
            fits = all(a <= b for a, b in zip(other.whole, self.whole, strict=True))
            if fits:
                one = one[tuple(slice(size) for size in other.whole)]
        self.shape = tuple(int(size) for size in one.shape)
        if one.layout is not torch.strided:
            one = one.to_dense()
        if one.is_complex():
            one = torch.view_as_real(one.resolve_conj())
        flat = one.reshape(-1)
        sample = flat[:: -(-flat.numel() // _MOST) or 1]
        # Numbers of 8 bits cannot be compared as they are.
        small = sample.is_floating_point() and sample.element_size() == 1
        self.values = sample.float() if small else sample.clone()

    @property
    def is_whole(self) -> bool:
        """Whether it holds whole numbers or truth values."""
        return not self.values.dtype.is_floating_point

    @property
    def dtype(self) -> str:
        """The name of its dtype."""
        return str(self.kind).removeprefix("torch.")


def row(
    name: str, first: Kept | None, again: Kept | None, found: Kept | None, exact: Kept | None
) -> dict[str, Any] | None:
    """One result of eager calls (twice), of the compiled and of the reference; None for nothing."""
    if first is None or found is None:
        return _alone(name, first, found)
    made: dict[str, Any] = {"name": name, "dtype": first.dtype}
    if found.shape != first.shape:
        return {**made, "detail": f"shape {list(first.whole)} became {list(found.whole)}"}
    if found.kind != first.kind:
        made["detail"] = f"dtype {first.dtype} became {found.dtype}"
    made["equal"] = _is_equal(first, found)
    made["apart"] = error(found, first)
    made["again"] = error(again, first) if again is not None and again.shape == first.shape else 1.0
    if first.is_whole and found.values.shape == first.values.shape:
        made["other"] = int((found.values != first.values).sum())
        made["of"] = found.values.numel()
    if exact is not None and exact.shape == first.shape:
        made["eager"] = error(first, exact)
        made["compiled"] = error(found, exact)
    return made


def _alone(name: str, first: Kept | None, found: Kept | None) -> dict[str, Any] | None:
    one = first or found
    assert one is not None
    if name.startswith("gradient ") and not one.values.any():
        return None  # compiled code may give zeros where eager gives no gradient
    way = "only the compiled call returns it" if first is None else (
        "the compiled call does not return it")  # fmt: skip
    return {"name": name, "dtype": one.dtype, "detail": way}


def error(found: Kept, exact: Kept) -> float | None:
    """The norm of the difference by that of what is exact; None where that is no number.

    Of whole numbers the share that is another.
    """
    if found.values.shape != exact.values.shape:
        return None  # numbers of two parts against numbers of one
    if not exact.values.numel():
        return 0.0
    if exact.is_whole:
        return float((found.values != exact.values).double().mean())
    one, other = found.values.double(), exact.values.double()
    finite = torch.isfinite(other)
    if not torch.equal(one[~finite].nan_to_num(0.0), other[~finite].nan_to_num(0.0)):
        return None  # infinities of another sign
    if not torch.equal(finite, torch.isfinite(one)) or not torch.equal(one.isnan(), other.isnan()):
        return None
    apart = float(torch.linalg.vector_norm((one - other)[finite]))
    size = float(torch.linalg.vector_norm(other[finite]))
    return apart / size if size else apart


def _is_equal(one: Kept, other: Kept) -> bool:
    if one.kind != other.kind:
        return False
    if one.is_whole:
        return bool(torch.equal(one.values, other.values))
    return bool(torch.allclose(one.values, other.values, rtol=0, atol=0, equal_nan=True))
