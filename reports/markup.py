"""Templates to HTML: what every page shares."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from functools import lru_cache
from importlib import resources
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from compilescope import __version__

from . import device, words
from . import page as pages
from .excerpt import excerpt
from .strips import pair


def written(template: str, *, scripts: Sequence[str], **content: Any) -> str:
    """`template` with `content`, our style sheet and our `scripts`; the first one runs early."""
    early, *late = (_asset(name) for name in scripts)
    return (
        _environment()
        .get_template(template)
        .render(
            generator=f"compilescope {__version__}",
            policy=_policy(early, *late),
            style=_asset("page.css"),
            early=early,
            late=late,
            **content,
        )
    )


def embedded(session_json: bytes | None) -> Markup | None:
    """JSON that no HTML or script parser can take for more: these occur in its strings only."""
    if session_json is None:
        return None
    text = session_json.decode()
    for character in ("<", "\u2028", "\u2029"):
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # noqa: S704  no `<` is left


def _policy(*scripts: str) -> str:
    """No request, and no script but the page's own."""
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
        "bytes": device.size,
        "gap": words.gap,
        "continued": words.continued,
    }
    environment.globals |= {
        "few": words.few,
        "companions": words.companions,
        "ending": words.ending,
        "excerpt": excerpt,
        "pair": pair,
        "anchor": pages.anchor,
        "identity": pages.identity,
        "STATUS": words.STATUS,
        "NOTICES": words.NOTICES,
        "PROBLEMS": words.PROBLEMS,
        "CUDA_GLYPHS": words.CUDA_GLYPHS,
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
