"""Write compilescope/lint/torch_facts.py from several releases of torch: what Dynamo cannot trace.

usage: python tests/benchmarks/torch_facts.py TORCH... | ruff format - > facts.py
       and facts.py becomes compilescope/lint/torch_facts.py

TORCH is a site-packages folder that holds torch, or a wheel; nothing of it is imported. Sources:
the tags of `native_functions.yaml` (an output whose size or value depends on data), the rules and
skip lists of `torch/_dynamo/trace_rules.py`, and `torch/_dynamo/graph_break_registry.json`.
"""

from __future__ import annotations

import ast
import json
import re
import sys
import textwrap
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

OPERATORS = "torchgen/packaged/ATen/native/native_functions.yaml"
TRACE_RULES = "torch/_dynamo/trace_rules.py"
REGISTRY = "torch/_dynamo/graph_break_registry.json"
VERSION = "torch/version.py"


@dataclass
class Release:
    """What one release says."""

    version: tuple[int, int]
    dynamic_output: set[str] = field(default_factory=set)
    data_output: set[str] = field(default_factory=set)
    skipped: set[str] = field(default_factory=set)
    modules: set[str] = field(default_factory=set)
    breaks: dict[str, str] = field(default_factory=dict)


def read(place: Path, name: str) -> str:
    """A file of an installed torch or of a wheel."""
    if place.suffix == ".whl":
        with zipfile.ZipFile(place) as wheel:
            return wheel.read(name).decode()
    return (place / name).read_text(encoding="utf-8")


def release(place: Path) -> Release:
    """Everything that is used of one release."""
    found = re.search(r"__version__ = '(\d+)\.(\d+)", read(place, VERSION))
    assert found is not None, place
    result = Release((int(found[1]), int(found[2])))
    for block in re.split(r"\n(?=- func: )", read(place, OPERATORS)):
        name = re.match(r"- func: (\w+)", block)
        tags = re.search(r"^  tags: (.*)$", block, re.MULTILINE)
        if name and tags and "dynamic_output_shape" in tags[1]:
            result.dynamic_output.add(name[1])
        if name and tags and "data_dependent_output" in tags[1]:
            result.data_output.add(name[1])
    rules = ast.parse(read(place, TRACE_RULES))
    result.skipped = set(skipped(rules))
    result.modules = set(skipped_modules(rules))
    registry = json.loads(read(place, REGISTRY))
    result.breaks = {name: entries[0]["Gb_type"] for name, entries in registry.items()}
    return result


def skipped(rules: ast.Module) -> list[str]:
    """Functions for which a rule says that they are not traced."""
    return [
        str(ast.literal_eval(key)).replace("#", ".")
        for node in ast.walk(rules)
        if isinstance(node, ast.Dict)
        for key, value in zip(node.keys, node.values, strict=True)
        if isinstance(key, ast.Constant)
        and isinstance(value, ast.Name)
        and value.id == "SkipFunctionVariable"
        and "/" not in str(key.value)
        and "._" not in str(key.value)
        and "#_" not in str(key.value)
    ]


def skipped_modules(rules: ast.Module) -> list[str]:
    """Modules of the standard library and of others whose functions are not traced."""
    names: list[str] = []
    for node in rules.body:
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        if not isinstance(target, ast.Name) or not target.id.endswith("_SKIPLIST"):
            continue
        if isinstance(node.value, ast.Tuple):
            names += [n.id for n in node.value.elts if isinstance(n, ast.Name)]
            names += [str(n.value) for n in node.value.elts if isinstance(n, ast.Constant)]
    return names


def spans(sets: list[tuple[tuple[int, int], set[str]]]) -> dict[str, str]:
    """Each name with the versions that have it: "" for all, else ">=2.14" or "<2.14"."""
    first = sets[0][0]
    result: dict[str, str] = {}
    for name in sorted(set().union(*(names for _, names in sets))):
        have = [version for version, names in sets if name in names]
        later = [version for version, names in sets if version > have[-1] and name not in names]
        if later:
            result[name] = f"<{later[0][0]}.{later[0][1]}"
        else:
            result[name] = "" if have[0] == first else f">={have[0][0]}.{have[0][1]}"
    return result


def table(name: str, values: dict[str, str], comment: str) -> str:
    """A mapping as source."""
    parts = [f"{name}: dict[str, str] = _by_versions(  # {comment}\n"]
    for versions in sorted(set(values.values())):
        words = " ".join(key for key, value in values.items() if value == versions)
        text = textwrap.fill(words, 88, break_on_hyphens=False, break_long_words=False)
        body = textwrap.indent(text, "        ")
        parts.append(f'    ("{versions}", """\n{body}\n    """),\n')
    return "".join(parts) + ")\n"


def main() -> None:
    """Print the module."""
    releases = sorted((release(Path(place)) for place in sys.argv[1:]), key=lambda r: r.version)
    named = ", ".join(f"({a}, {b})" for a, b in (r.version for r in releases))
    print(
        '"""What Dynamo cannot trace. Written by tests/benchmarks/torch_facts.py: do not edit."""\n'
    )
    print("from __future__ import annotations\n")
    print(f"RELEASES = ({named},)\n")
    print("\ndef _by_versions(*groups: tuple[str, str]) -> dict[str, str]:")
    print("    return {name: versions for versions, text in groups for name in text.split()}\n\n")
    print('# "" holds for all of them, and is taken to hold for those before.')
    for name, attribute, comment in (
        ("DYNAMIC_OUTPUT", "dynamic_output", "operators: the size of the output is data"),
        ("DATA_OUTPUT", "data_output", "operators: the output is a number or a truth value"),
        ("SKIPPED", "skipped", "functions that are not traced"),
        ("SKIPPED_MODULES", "modules", "modules whose functions are not traced"),
    ):
        sets = [(r.version, getattr(r, attribute)) for r in releases]
        print(table(name, spans(sets), comment))
    sets = [(r.version, set(r.breaks)) for r in releases]
    print(table("BREAKS", spans(sets), "graph breaks that are registered"), end="")


if __name__ == "__main__":
    main()
