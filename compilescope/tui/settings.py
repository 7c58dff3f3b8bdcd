"""`[tool.compilescope.tui]`: keys that the user wants elsewhere."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path

import msgspec

from compilescope import config
from compilescope.errors import InputError
from compilescope.tui.keys import KEYS


class Keys(msgspec.Struct, frozen=True):
    """The table; `keys` maps the id of a key to the keys that do it."""

    keys: dict[str, str] = {}


def moved_keys(start: Path | None = None) -> dict[str, str]:
    """The keys that the nearest configuration moves, by id.

    Raises:
        InputError: it cannot be used, or names an id that is none.
    """
    found = config.find(start or Path.cwd())
    own = found.values.get("tui", {})
    keys = config.convert(config.Config(found.path, {"tui": own} if own else {}), "tui", Keys).keys
    known = [key.id for key in KEYS]
    for name in keys:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f"did you mean `{near[0]}`?" if near else f"one of: {', '.join(known)}"
            raise InputError(f"unknown key id `{name}` in {found.path}", hint=hint)
    return keys
