"""A digest of what each compiled call returned and changed, for comparison with another run."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .overlay_arguments import Changes
    from .overlay_record import OverlayRecord

_ALWAYS = 500  # calls of a callable that are all looked at, and every so many after them
_THEN_EACH = 50
_MOST_TENSORS = 64
_SAMPLES = 16
_LARGE = 1 << 20


class Outputs:
    """Writes one line a call: results first, then arguments and buffers as the call left them."""

    def __init__(self, record: OverlayRecord, *, enabled: bool) -> None:
        self._record = record
        self._enabled = enabled

    def note(
        self,
        changes: Changes,
        index: int,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        result: Any,
    ) -> None:
        """Write the digest of a call that has just returned."""
        if not self._enabled or (index >= _ALWAYS and index % _THEN_EACH):
            return
        torch: Any = sys.modules["torch"]
        found: dict[str, Any] = {}
        with torch.no_grad(), torch._C.DisableTorchFunction():  # noqa: SLF001
            self._add(found, "result", result)
            named = changes.names.of(args, kwargs) if changes.names else ()
            for name, value in named:
                self._add(found, f"argument {name}", value)
            if isinstance(changes.receiver, torch.nn.Module):
                for name, buffer in changes.receiver.named_buffers():
                    self._add(found, f"buffer {name}", buffer)
        self._record.note("outputs", callable=changes.name, index=index, tensors=found)

    def _add(self, found: dict[str, Any], path: str, value: Any) -> None:
        for where, leaf in leaves(path, value, 0):
            if len(found) >= _MOST_TENSORS:
                return
            try:
                found[where] = digest(leaf)
            except Exception as error:  # noqa: BLE001
                found[where] = {"unread": type(error).__name__}


def leaves(path: str, value: Any, depth: int) -> Iterator[tuple[str, Any]]:
    """The tensors and numbers in `value` with the path to each."""
    torch: Any = sys.modules["torch"]
    if isinstance(value, torch.Tensor) or type(value) in (int, float, bool):
        yield path, value
    elif depth < 5 and isinstance(value, (list, tuple)):
        for index, part in enumerate(value):
            yield from leaves(f"{path}[{index}]", part, depth + 1)
    elif depth < 5 and isinstance(value, dict):
        for key, part in value.items():
            yield from leaves(f"{path}[{key!r}]", part, depth + 1)
    elif depth < 5 and (hasattr(value, "__dataclass_fields__") or hasattr(value, "to_tuple")):
        for key, part in vars(value).items():
            yield from leaves(f"{path}.{key}", part, depth + 1)


def digest(value: Any) -> dict[str, Any]:
    """Shape, dtype, mean, greatest magnitude and a few elements of `value`."""
    torch: Any = sys.modules["torch"]
    if not isinstance(value, torch.Tensor):
        return {"shape": [], "dtype": type(value).__name__, "samples": [float(value)]}
    flat = value.detach()
    fields: dict[str, Any] = {"shape": [int(size) for size in flat.shape], "dtype": str(flat.dtype)}
    if flat.layout is not torch.strided:
        flat = flat.to_dense()
    if flat.is_complex():
        flat = torch.view_as_real(flat.resolve_conj())
    flat = flat.reshape(-1)
    count = flat.numel()
    if count == 0:
        return fields
    part = flat[:: -(-count // _LARGE)].to(device="cpu", dtype=torch.float64)
    few = part[:: max(1, part.numel() // _SAMPLES)][:_SAMPLES]
    finite = part[torch.isfinite(part)]
    fields["mean"] = float(finite.mean()) if finite.numel() else 0.0
    fields["most"] = float(finite.abs().max()) if finite.numel() else 0.0
    fields["odd"] = int(part.numel() - finite.numel())
    fields["samples"] = [float(f"{item:.9g}") for item in few.tolist()]
    return fields
