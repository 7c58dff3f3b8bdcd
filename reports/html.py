"""The diagnosis as one HTML file that needs nothing else: no network, no script, no style sheet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from markupsafe import Markup

from compilescope.model import Session

from .markup import written
from .page import Page
from .redact import Redactor
from .visible import visible

if TYPE_CHECKING:
    from compilescope.diagnosis import Diagnosis


def render(
    diagnosis: Diagnosis,
    /,
    *,
    session_json: bytes | None = None,
    source: bool = True,
    **_options: Any,
) -> str:
    """The page.

    Args:
        diagnosis: What to show.
        session_json: The session behind it, to be embedded: `compilescope show` reads it back.
        source: False leaves out the user's source and paths, in the embedded session too.
    """
    if not source:
        diagnosis, session_json = _without_source(diagnosis, session_json)
    shown = visible(diagnosis)
    return written(
        "page.html",
        scripts=("early.js", "page.js"),
        d=shown,
        page=Page(shown),
        session=_embedded(session_json),
        source=source,
    )


def _without_source(
    diagnosis: Diagnosis, session_json: bytes | None
) -> tuple[Diagnosis, bytes | None]:
    if session_json is None:
        return Redactor(diagnosis).redact(diagnosis), None
    session = msgspec.json.decode(session_json, type=Session)
    redactor = Redactor(diagnosis, session)
    return redactor.redact(diagnosis), msgspec.json.encode(redactor.redact(session))


def _embedded(session_json: bytes | None) -> Markup | None:
    """JSON that no HTML or script parser can take for more: these occur in its strings only."""
    if session_json is None:
        return None
    text = session_json.decode()
    for character in ("<", "\u2028", "\u2029"):
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # noqa: S704  no `<` is left
