"""Which torch the code will run on: `2.11`, a range as `2.11..2.13`, `>=2.11`, or what is here."""

from __future__ import annotations

import re

from compilescope.errors import UsageError
from compilescope.lint.versions import NEWEST, OLDEST, Versions

_ONE = r"(\d+)\.(\d+)(?:\.\d+)*(?:[a-z+][\w.+-]*)?"
_FORMS = re.compile(rf"(?P<low>>=)?{_ONE}(?:\s*(?:\.\.|,\s*<=)\s*{_ONE})?\Z")


def target_versions(text: str) -> Versions:
    """The first and last minor version that `text` names; "" for the installed torch.

    Without torch installed it is the newest that the rules were measured with.

    Raises:
        UsageError: not a version of torch.
    """
    match = _FORMS.match(text.strip() or _installed())
    if match is None:
        raise UsageError(
            f"`{text}` is not a version of torch",
            hint="write 2.13, 2.11..2.13 or >=2.11",
        )
    low = int(match[2]), int(match[3])
    high = (int(match[4]), int(match[5])) if match[4] else max(NEWEST, low) if match["low"] else low
    if high < low:
        raise UsageError(f"the range `{text}` is empty", hint="the older version comes first")
    return max(low, OLDEST), max(high, OLDEST)


def _installed() -> str:
    from compilescope.lint import registry

    version = registry.installed_torch()
    return version if re.match(_ONE, version) else f"{NEWEST[0]}.{NEWEST[1]}"
