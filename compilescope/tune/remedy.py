"""A remedy in a form that the agent can apply: parts of an overlay, with the remedy's words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from compilescope.tuning import Applied

SINGLE = ("stance", "cache", "save_cache", "regional", "serve")  # sections that hold one value
JOINED = ("compiler.dynamic_sources", "compiler.unbacked_sources")


class Entry(msgspec.Struct, frozen=True):
    """One entry of a section of the overlay."""

    section: str  # "config", "compile", "arguments", "attributes", "functions", "warm_up", ...
    content: dict[str, Any]


class Candidate(msgspec.Struct, frozen=True):
    """A remedy that can be tried."""

    id: str
    text: str
    entries: tuple[Entry, ...]
    price: str = ""
    cause: str = ""
    weight: int = 1  # how much it asks of the user, for choices between equals

    @property
    def key(self) -> bytes:
        """What it does, whatever it was tried for."""
        return msgspec.json.encode(self.entries, order="deterministic")


def config(name: str, value: object) -> Entry:
    """A setting: `dynamo.recompile_limit`."""
    return Entry("config", {name: value})


def compile_with(callable_name: str, **keywords: object) -> Entry:
    """Arguments of torch.compile, for one callable or ("") for all."""
    return Entry("compile", {"callable": callable_name, "keywords": keywords})


def argument(callable_name: str, path: str, do: str, **more: object) -> Entry:
    """A mark on, or change of, an argument at every call."""
    return Entry("arguments", {"callable": callable_name, "path": path, "do": do, **more})


def attribute(callable_name: str, path: str, do: str, **more: object) -> Entry:
    """A change of an attribute or global before each call."""
    return Entry("attributes", {"callable": callable_name, "path": path, "do": do, **more})


def held(callable_name: str, mode: str, value: object) -> Entry:
    """A process-wide setting that has one value in every call."""
    return Entry("modes", {"callable": callable_name, "mode": mode, "value": value})


def overlay(candidates: Iterable[Candidate]) -> dict[str, Any]:
    """The overlay that applies all of `candidates`."""
    found: dict[str, Any] = {}
    for candidate in candidates:
        for entry in candidate.entries:
            if entry.section == "config":
                settings = found.setdefault("config", {})
                for name, value in entry.content.items():
                    if name in JOINED and settings.get(name):
                        known = settings[name].split(",")
                        settings[name] = ",".join(dict.fromkeys([*known, value]))
                    else:
                        settings[name] = value
            elif entry.section in SINGLE:
                found[entry.section] = entry.content["value"]
            elif entry.section == "rewrite":
                continue  # the trial runs the changed source itself
            elif entry.content not in found.setdefault(entry.section, []):
                found[entry.section].append(entry.content)
    return found


def applied(candidates: Iterable[Candidate]) -> tuple[Applied, ...]:
    """`candidates` as the result shows them: each action once, with all its causes."""
    found: dict[bytes, Applied] = {}
    for candidate in candidates:
        known = found.get(candidate.key)
        causes = (*(known.causes if known else ()), *([candidate.cause] if candidate.cause else []))
        found[candidate.key] = Applied(
            candidate.id, candidate.text, candidate.price, tuple(dict.fromkeys(causes))
        )
    return tuple(found.values())
