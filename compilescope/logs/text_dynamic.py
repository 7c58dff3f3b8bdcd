"""What TORCH_LOGS=dynamic, guards and dynamo tell beside recompilations and breaks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from compilescope.model import Frame, Guarded, Specialized, Symbol

_STEP = re.compile(
    r"Step 1: torchdynamo start tracing (?P<function>.+?) (?P<path>\S.*):(?P<line>\d{1,9})$"
)
_CREATED = re.compile(
    r"create_symbol (?P<name>\w+) = (?P<value>\S+) for (?P<source>.+?) "
    r"(?P<range>\[[^\]]*\])(?P<rest>.*)$"
)
_DUCK = re.compile(r"create_symbol (?P<name>\w+) duck sized (?P<source>.+)$")
_UNBACKED = re.compile(r"create_unbacked_sym\w+ (?P<name>\w+) (?P<range>\[[^\]]*\])(?P<rest>.*)$")
_EVALUATED = re.compile(r"(?:eval|runtime_assert) (?P<expression>.+?) \[guard added\](?P<rest>.*)$")
_SPECIALIZED = re.compile(r"Specializing (?P<source>.+) to (?P<value>\S+)$")
_PLACE = re.compile(r" (?P<code>.*?)  # (?P<path>\S.*?):(?P<line>\d{1,9}) in (?P<function>\S+)")
LATENCY = re.compile(r"Guard eval latency = (?P<us>[\d.]+) us")


def read_dynamic(
    lines: list[str], process: int, compile_id: str
) -> Iterator[Symbol | Guarded | Specialized]:
    """The events in lines of `symbolic_shapes.py`, which keeps `L['x']`."""
    common: dict[str, Any] = {"process": process, "compile_id": compile_id}
    for line in lines:
        if found := _CREATED.match(line):
            yield Symbol(
                **common,
                name=found["name"],
                source=found["source"],
                value=found["value"],
                range=found["range"],
                frame=_place(found["rest"]),
            )
        elif found := _UNBACKED.match(line):
            yield Symbol(
                **common,
                name=found["name"],
                range=found["range"],
                backed=False,
                frame=_place(found["rest"]),
            )
        elif found := _DUCK.match(line):
            yield Symbol(**common, name=found["name"], source=found["source"])
        elif found := _EVALUATED.match(line):
            yield Guarded(**common, expression=found["expression"], frame=_place(found["rest"]))
        elif found := _SPECIALIZED.match(line):
            yield Specialized(**common, symbol="", sources=(found["source"],), value=found["value"])


def read_start(text: str) -> Frame | None:
    """The function whose compile begins."""
    found = _STEP.match(text)
    return Frame(found["path"], int(found["line"]), found["function"]) if found else None


def _place(text: str) -> Frame | None:
    found = _PLACE.match(text)
    if found is None:
        return None
    return Frame(found["path"], int(found["line"]), found["function"], found["code"].strip())
