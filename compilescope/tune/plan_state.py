"""Trials for numbers and flags that live outside the arguments: attributes, globals, settings."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from compilescope.diagnose.uses import Use, use
from compilescope.tune.remedy import Candidate, Entry, attribute, compile_with, config
from compilescope.tune.situation import Situation

_ITEM = re.compile(r"\[(['\"])lr\1\]|\.lr$")


def state(situation: Situation) -> Iterator[Candidate]:
    """Numbers as tensors, and ints on modules as symbols."""
    cause, source = situation.cause, situation.words.variable
    # Elsewhere a tensor breaks the graph: then nothing recompiles, for less is compiled.
    if situation.is_number and source and use(situation.words) in (Use.VALUE, Use.INDEX):
        if cause.kind.startswith("global"):
            entry = attribute(
                situation.callable, source.rpartition(".")[2], "tensor", module=cause.frame.path
            )
            yield situation.candidate(
                "pass_as_tensor", f"{source} = torch.tensor({source})", entry, weight=2
            )
        elif situation.is_argument and ("." in source or "[" in source):
            entry = attribute(situation.callable, source, "tensor")
            name = "buffer" if cause.kind.startswith("module.") else "pass_as_tensor"
            yield situation.candidate(name, f"hold {source} in a tensor", entry, weight=2)
    if cause.kind.startswith(("module.", "attr")) and situation.is_number:
        yield from unspecialized(situation)
    if "one_type" in situation.remedies and situation.is_argument and source:
        snippet = situation.remedies["one_type"].snippet
        kind = re.search(r"= (float|int|str)\(", snippet)
        if kind:
            content = {"callable": situation.callable, "path": source, "do": kind[1]}
            yield situation.candidate("one_type", snippet, Entry("arguments", content), weight=2)
    if "specialize_float" in situation.remedies:
        entry = config("dynamo.specialize_float", value=False)
        yield situation.candidate("specialize_float", "specialize_float = False", entry)


def unspecialized(situation: Situation) -> Iterator[Candidate]:
    """Ints on modules as symbols: at their first change, at once, and also at 0 and 1."""
    allow = config("dynamo.allow_unspec_int_on_nn_module", value=True)
    text = "allow_unspec_int_on_nn_module = True"
    yield situation.candidate("allow_unspec_int", text, allow)
    dynamic = compile_with(situation.callable, dynamic=True)
    yield situation.candidate(
        "allow_unspec_int",
        f"{text}, torch.compile(dynamic=True){situation.of_callable}",
        allow,
        dynamic,
        weight=2,
    )
    name = re.match(r"\w+", situation.cause.source.rpartition(".")[2])
    if name and situation.torch >= (2, 8):
        pattern = rf".*\.{name.group()}$"
        sources = config("compiler.unbacked_sources", pattern)
        yield situation.candidate(
            "allow_unspec_int", f"{text}, unbacked_sources = {pattern!r}", allow, sources, weight=2
        )


def leave_out(situation: Situation) -> Iterator[Candidate]:
    """The function that recompiles left to eager code, where it is not the compiled one itself."""
    function = situation.cause.function
    if function is None or not function.function.isidentifier():
        return
    own = {
        (target.frame.path, target.frame.function) for target in situation.targets if target.frame
    }
    places = [function]
    of_global = situation.cause.kind.partition(".")[0] == "global"
    if of_global and situation.cause.frame.function.isidentifier():
        places = [situation.cause.frame]
    for place in places:
        if (place.path, place.function) in own or not _is_program(place.path):
            continue
        if not _is_found(place.path, place.function):
            continue
        content = {"path": place.path, "name": place.function}
        yield situation.candidate(
            "disable",
            f"@torch.compiler.disable on {place.function}",
            Entry("functions", content),
            weight=4,
        )


def _is_program(path: str) -> bool:
    """Whether a file is the program's or a library's, but not torch's own."""
    return path.endswith(".py") and "/torch/" not in path.replace("\\", "/")


def _is_found(path: str, name: str) -> bool:
    """Whether a function stands in a module or class, where it can be found by its name."""
    try:
        waiting: list[ast.AST] = [ast.parse(Path(path).read_text(encoding="utf-8"))]
    except (OSError, SyntaxError, ValueError):
        return False
    for node in waiting:
        for part in getattr(node, "body", ()):
            if isinstance(part, (ast.ClassDef, ast.If, ast.Try)):
                waiting.append(part)
            elif isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)) and part.name == name:
                return True
    return False
