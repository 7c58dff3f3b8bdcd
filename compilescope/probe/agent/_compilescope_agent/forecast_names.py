"""Parts of a call in the user's words."""

from __future__ import annotations

from typing import Any


def name_of(keys: tuple[Any, ...], names: Any) -> str:
    """What `keys` lead to as the user would write it: `batch['ids'][0]`."""
    first, key, *rest = keys
    if names is None:
        name = f"{first}[{key!r}]"
    elif first == "kwargs":
        name = key if key in names.known else f"{names.keywords}[{key!r}]"
    elif key < len(names.positional):
        name = names.positional[key]
    else:
        name = f"{names.variadic}[{key - len(names.positional)}]"
    for part in rest:
        is_attribute = isinstance(part, str) and part.startswith(".")
        name += part if is_attribute else f"[{part!r}]"
    return name
