"""Other contents for a tensor: what it holds decides where code is cut at a graph break."""

from __future__ import annotations

from typing import Any

ZEROS = "zeros"
ONES = "ones"
DRAWN = "drawn"


def fills(torch: Any, value: Any) -> list[str]:
    """The contents to try for a tensor, the most ordinary first."""
    found = [f"{DRAWN} {seed}" for seed in (1, 2, 3)]
    if not holds_indexes(torch, value):
        return [ONES, ZEROS, *found] if value.dtype == torch.bool else [*found, ZEROS]
    is_mask = int(value.min()) >= 0 and int(value.max()) <= 1
    return [*found, ONES, ZEROS] if is_mask else found


def filled(torch: Any, content: Any, how: str) -> Any:
    """`content` with other values of the same kind."""
    name, _, seed = how.partition(" ")
    if name != DRAWN:
        return torch.zeros_like(content) if name == ZEROS else torch.ones_like(content)
    generator = torch.Generator().manual_seed(int(seed))
    shape, held = tuple(content.shape), content.detach().cpu()
    if content.dtype == torch.bool:
        made = torch.rand(shape, generator=generator) < 0.5
    elif holds_indexes(torch, content):
        low, high = int(held.min()), int(held.max())
        low = min(low, 0) if low == high else low
        made = torch.randint(low, high + 1, shape, generator=generator)
        if len(shape) == 1 and shape[0] > 1 and bool((held[1:] >= held[:-1]).all()):
            made = made.sort().values  # offsets and the like: they begin and end where they did
            made[0], made[-1] = low, high
    elif content.is_floating_point():
        held = held.float()
        spread = float(held.std()) if held.numel() > 1 else 0.25 * abs(float(held.mean()))
        made = torch.randn(shape, generator=generator) * spread + held.mean()
    else:
        return content
    return made.to(device=content.device, dtype=content.dtype)


def holds_indexes(torch: Any, value: Any) -> bool:
    """Whether the tensor is of whole numbers."""
    whole = not value.is_floating_point() and not value.is_complex()
    return whole and value.dtype != torch.bool
