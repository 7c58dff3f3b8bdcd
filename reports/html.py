"""The diagnosis as one HTML file that needs nothing else: no network, no script, no style sheet."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING, Any

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from compilescope import __version__
from compilescope.model import Session

from . import page as pages
from . import words
from .excerpt import excerpt
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
    style, script, early = (_asset(name) for name in ("page.css", "page.js", "early.js"))
    return (
        _environment()
        .get_template("page.html")
        .render(
            d=shown,
            page=pages.Page(shown),
            generator=f"compilescope {__version__}",
            policy=_policy(script, early),
            style=style,
            script=script,
            early=early,
            session=_embedded(session_json),
            source=source,
        )
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


def _policy(*scripts: str) -> str:
    """No request, and no script but the page's own two."""
    hashes = " ".join(
        f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
        for script in scripts
    )
    return (
        "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:;"
        f" style-src 'unsafe-inline'; script-src {hashes}"
    )


def _asset(name: str) -> Markup:
    path = resources.files("compilescope.reports") / "assets" / name
    return Markup(path.read_text(encoding="utf-8"))  # noqa: S704  our own file


@lru_cache(maxsize=1)
def _environment() -> Environment:
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        loader=PackageLoader("compilescope.reports"),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "prose": _prose,
        "seconds": words.seconds,
        "short": words.short,
        "gap": words.gap,
        "continued": words.continued,
    }
    environment.globals |= {
        "few": words.few,
        "ending": words.ending,
        "excerpt": excerpt,
        "anchor": pages.anchor,
        "identity": pages.identity,
        "STATUS": words.STATUS,
        "EVIDENCE": pages.EVIDENCE,
    }
    return environment


def _prose(text: str) -> Markup:
    """Text whose parts in backticks are code."""
    parts = re.split(r"`([^`\n]+)`", text)
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if index % 2 else escape(part)
        for index, part in enumerate(parts)
    )
