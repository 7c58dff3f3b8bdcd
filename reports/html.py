"""The diagnosis as one HTML file that needs nothing else: no network, no script, no style sheet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from compilescope.model import Session

from .bench_section import BenchSection
from .markup import embedded, written
from .page import Page
from .redact import Redactor
from .visible import visible

if TYPE_CHECKING:
    from compilescope.benching import Benching
    from compilescope.diagnosis import Diagnosis

SCRIPTS = ("early.js", "theme.js", "copy.js", "zoom.js", "sort.js", "page.js")


def render(
    diagnosis: Diagnosis,
    /,
    *,
    session_json: bytes | None = None,
    source: bool = True,
    benching: Benching | None = None,
    **_options: Any,
) -> str:
    """The page.

    Args:
        diagnosis: What to show.
        session_json: The session behind it, to be embedded: `compilescope show` reads it back.
        source: False leaves out the user's source and paths, in the embedded session too.
        benching: What `bench` measured of the session's program, for a section of its own.
    """
    if not source:
        diagnosis, session_json, benching = _without_source(diagnosis, session_json, benching)
    shown = visible(diagnosis)
    return written(
        "page.html",
        scripts=SCRIPTS,
        d=shown,
        page=Page(shown),
        bench=BenchSection(visible(benching)) if benching is not None else None,
        session=embedded(session_json),
        source=source,
    )


def _without_source(
    diagnosis: Diagnosis, session_json: bytes | None, benching: Benching | None
) -> tuple[Diagnosis, bytes | None, Benching | None]:
    session = msgspec.json.decode(session_json, type=Session) if session_json is not None else None
    redactor = Redactor(diagnosis, *([session] if session is not None else ()))
    return (
        redactor.redact(diagnosis),
        msgspec.json.encode(redactor.redact(session)) if session is not None else None,
        redactor.redact(benching) if benching is not None else None,
    )
