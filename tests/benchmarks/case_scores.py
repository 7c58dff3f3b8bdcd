"""How well `logs` explains what was measured: guard cases, user programs, recorded traces.

usage: python tests/benchmarks/case_scores.py [guards] [user] [traces] [agreement] [--shared FOLDER]
       [--quiet]   figures only, no lists of disagreements

Each figure compares the diagnosis, not the events, with the truth in ../shared/cases.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from compilescope.diagnose import diagnose
from compilescope.diagnosis import Diagnosis
from compilescope.errors import InputError
from compilescope.logs.reader import read

SHARED = Path(__file__).resolve().parents[3] / "shared"
# Categories that name a format or a setting of the log; the first reason of the case is its truth.
FORMATS = ("cudagraphs", "control", "format.", "frame.", "perf_hints", "trace.")
FAILURES = ("error.", "limit.")
# Where the index names what the case was written for, and the diagnosis what PyTorch printed:
# category of the index, kind of the diagnosis, and why the second is kept.
DISAGREEMENTS = {
    ("shape.floordiv", "shape.range"): "PyTorch folds the division into a range of the size",
    ("shape.stride", "tensor.stride"): "the printed guard is a plain stride mismatch",
    ("shape.or", "shape.sum"): "the printed guard is a sum of two sizes",
    ("const.int_zero_one", "const.int"): "the first change, which is printed, is 5 to 6",
    ("const.numpy", "tensor.numpy"): "NumPy scalars are guarded as tensors; the dtype differs",
    ("container.key", "type.tensor"): "the key is there, and its value is an int and no tensor",
    ("container.key", "tensor.type"): "the key is there, and its value is an int and no tensor",
    ("container.len", "container.set"): "a set is guarded by its members, not by its length",
    ("id.class", "id.object"): "an identity guard prints a class as it prints its instances",
    ("closure", "const.int"): "a free variable of the compiled function itself is a local of it",
    ("closure", "const.float"): "a free variable of the compiled function itself is a local of it",
    ("global", "global.function"): "the narrower kind: the global is a function",
    ("attr.hasattr", "attr.missing"): "an attribute that is gone fails before the hasattr guard",
    ("attr.missing", "attr.object"): "the class has the attribute too: its value is what differs",
    ("key.missing", "attr.object"): "the class has the attribute too: its value is what differs",
    ("module.dtype", "tensor.dtype"): "the argument is checked first; the weights are in `also`",
    ("global_state.inference_mode", "global_state.grad_mode"): "what PyTorch prints for it",
    ("global_state.default_device", "global_state.torch_function_mode"): "the device is a mode",
    ("global_state.functorch", "tensor.dispatch_key"): "vmap shows in the tensor's dispatch keys",
    ("alias.object", "alias.expected"): "two names for one list are guarded as an alias",
    ("const.size", "const.int_in_container"): "a torch.Size is guarded item by item",
    ("container.key", "container.len"): "the number of keys is checked first",
    ("shape.eq", "shape.duck"): "the printed guard says that duck sizing added it",
    ("tensor.nested", "tensor.size"): "the batch of the nested tensor is guarded as a size",
    ("index.missing", "container.len"): "the length of the tuple is checked first",
}
# What the kinds of the user cases are called in guard failures.
USER_KINDS = {
    "INT_VALUE": "const.int|type.scalar",
    "FLOAT_VALUE": "const.float|optimizer",
    "INT_ATTR": "module.int_attr|module.attr|attr.object|container.value|const.int",
    "FLOAT_ATTR": "module.float_attr|attr.object|const.float",
    "TENSOR_SIZE": "tensor.size",
    "TENSOR_STRIDE": "tensor.stride",
    "TENSOR_REQUIRES_GRAD": "tensor.requires_grad",
    "LIST_LENGTH": "container.len",
    "TUPLE_LENGTH": "container.len",
    "DICT_KEYS": "container.len|container.key|key.missing",
    "MODULE_STRUCTURE": "module.missing|key.missing|attr.missing|module.param_none|type.module",
    "NONE_VS_TENSOR": "const.none|tensor.type|type.tensor|type.object",
    "GLOBAL_STATE": "global_state",
    "GLOBAL_VALUE": "global",
    "SHAPE_DUCK": "shape.duck",
    "SHAPE_DIVISIBILITY": "shape.mod|shape.divisible|const.int",
    "TYPE_ID": "tensor.type|type.tensor",
}


@dataclass
class Score:
    """Right answers of all, with the wrong ones and why."""

    name: str
    right: int = 0
    total: int = 0
    wrong: list[str] = field(default_factory=list)

    def count(self, right: bool, case: str, why: str = "") -> None:
        """One more answer."""
        self.total += 1
        self.right += right
        if not right:
            self.wrong.append(f"{case}: {why}")

    def __str__(self) -> str:
        share = self.right / self.total if self.total else 1.0
        return f"{self.name}: {self.right} of {self.total} ({share:.1%})"


def of(*paths: Path) -> Diagnosis | None:
    """The diagnosis of logs; None where they hold no line of PyTorch's."""
    try:
        return diagnose(read(paths))
    except InputError:
        return None


def guard_cases(shared: Path) -> Iterator[tuple[dict[str, Any], Path]]:
    """The entries of the index and the folders of their recordings."""
    folder = shared / "cases" / "guards"
    for entry in json.loads((folder / "index.json").read_text(encoding="utf-8")):
        yield entry, folder / f"{entry['id']}_{entry['name']}"


def user_cases(shared: Path) -> Iterator[tuple[dict[str, Any], Path]]:
    """The truth of each user program and its folder."""
    for path in sorted((shared / "cases" / "user").glob("*/meta.json")):
        yield json.loads(path.read_text(encoding="utf-8"))["truth"], path.parent


# --- guards ---------------------------------------------------------------------------------------


def guards(shared: Path) -> list[Score]:
    """Kind and source of the main cause, of the break, of the failure, by the case's category."""
    kinds, sources = Score("guard cases, main cause's kind"), Score("guard cases, source")
    explained = Score("guard cases with a recompile, kind right or the index's kind disputed")
    silent = Score("guard cases without a recompile, none claimed")
    for entry, folder in guard_cases(shared):
        category, name = entry["category"], folder.name
        found = of(folder / "trace.log.xz") or of(folder / "torch_logs.txt")
        if category.startswith("gb."):
            kinds.count(_breaks_right(entry, found), name, f"{category}: {_told(found)}")
        elif category.startswith(FAILURES):
            both = [one for one in (found, of(folder / "torch_logs.txt")) if one]
            told = any(one.fallbacks or one.errors or one.notices for one in both)
            kinds.count(told, name, f"{category}: {_told(found)}")
        elif category.startswith("format.") and not entry["reasons"]:
            # The index does not hold the reasons of the odd formats.
            kinds.count(found is not None and not found.counts.unknown, name, _told(found))
        elif not entry["reasons"]:
            silent.count(not (found and found.recompiles), name, _told(found))
        elif found is None:
            kinds.count(False, name, "nothing was read")
        else:
            _guard(entry, found, name, (kinds, explained, sources))
    return [kinds, explained, sources, silent]


def _guard(
    entry: dict[str, Any], found: Diagnosis, name: str, scores: tuple[Score, Score, Score]
) -> None:
    kinds, explained, sources = scores
    category = entry["category"]
    if category.startswith(FORMATS):
        right = bool(found.causes) and not found.counts.unknown
    else:
        right = any(cause.kind == category for cause in found.causes)
    why = next(
        (
            DISAGREEMENTS[category, one.kind]
            for one in found.causes
            if (category, one.kind) in DISAGREEMENTS
        ),
        "not known",
    )
    kinds.count(right, name, f"{category}: {_told(found)}: {why}")
    explained.count(right or why != "not known", name, why)
    # A module that torch wraps is called `fn` in the guards.
    reasons = " ".join(str(reason["reason"]) for reason in entry["reasons"]).replace("fn", "model")
    wrong = [cause.source for cause in found.causes if not in_text(cause.source, reasons)]
    sources.count(not wrong, name, f"{wrong} not in {reasons[:100]!r}")


def in_text(source: str, text: str) -> bool:
    """Whether every name of `source` stands in the guard's text, which shares no code with ours."""
    return all(word in text for word in re.findall(r"\w+", source))


def _breaks_right(entry: dict[str, Any], found: Diagnosis | None) -> bool:
    if found is None:
        return False
    wanted = {gb for item in entry["graph_breaks"] for gb in item.get("gbids", ())}
    told = {item.gb_id for item in found.graph_breaks}
    # A break in the wake of another is told with it.
    told |= {gb for item in found.graph_breaks for gb in re.findall(r"\bGB\d+", item.why)}
    if not wanted:
        return bool(found.errors or found.graph_breaks or found.notices)
    return wanted <= told and all(item.why for item in found.graph_breaks)


def _told(found: Diagnosis | None) -> str:
    if found is None:
        return "nothing was read"
    causes = [f"{cause.kind} {cause.source}".strip() for cause in found.causes]
    return f"{causes} {[item.gb_id or item.type for item in found.graph_breaks]}"


# --- user programs --------------------------------------------------------------------------------


def user(shared: Path) -> list[Score]:
    """Recompiles, causes, limits and breaks of the user programs."""
    counts, causes = Score("user cases, recompiles"), Score("user cases, causes in the log")
    hidden = Score("user cases, causes that another hides")
    limits, breaks = Score("user cases, limit hits"), Score("user cases, break lines")
    for truth, folder in user_cases(shared):
        found = (of(folder / "trace") if (folder / "trace").exists() else None) or of(
            folder / "log.txt"
        )
        name = folder.name
        if found is None:
            counts.count(truth["recompiles"] == 0, name, "nothing was read")
            continue
        counts.count(
            found.counts.recompiles == truth["recompiles"], name, str(found.counts.recompiles)
        )
        limits.count(
            sorted(item.frame.line for item in found.fallbacks)
            == sorted(item["line"] for item in truth["recompile_limit_hits"]),
            name,
            str([item.frame for item in found.fallbacks]),
        )
        wanted = Counter[int]()
        for item in truth["graph_breaks"]:
            wanted[item.get("user_line", item["line"])] += item["times"]
        told = Counter[int]()
        for one in found.graph_breaks:
            told[one.frame.line] += one.times
        breaks.count(told == wanted, name, f"{told} and not {wanted}")
        for cause in truth["recompile_causes"]:
            score = causes if cause["visible_in_log"] else hidden
            score.count(_cause_told(cause, found), name, f"{cause['variable']}: {_told(found)}")
    return [counts, causes, hidden, limits, breaks]


def _cause_told(cause: dict[str, Any], found: Diagnosis) -> bool:
    name = re.split(r"[ (]", cause["variable"])[0].rpartition(".")[2]
    hidden = any(re.search(rf"\b{name}\b", also) for item in found.causes for also in item.also)
    kinds = USER_KINDS.get(cause["guard_kind"], "").split("|")
    named = any(item.kind.startswith(tuple(kinds)) for item in found.causes)
    return hidden or (named and cause["visible_in_log"])


# --- traces and agreement -------------------------------------------------------------------------


def traces(shared: Path) -> list[Score]:
    """Reasons that are understood in the logs of real models."""
    known = Score("recorded traces, reasons understood")
    for path in sorted((shared / "traces").glob("*.xz")):
        found = of(path)
        if found is None:
            known.count(False, path.name, "nothing was read")
            continue
        for recompile in found.recompiles:
            for reason in recompile.reasons:
                known.count(reason.kind != "unknown", path.name, reason.raw[:80])
    return [known]


def agreement(shared: Path) -> list[Score]:
    """Whether the text alone leads to the trace's diagnosis, in all that text carries."""
    same = Score("text and trace, same diagnosis")
    pairs = [
        (folder / "torch_logs.txt", folder / "trace.log.xz", _env(folder))
        for _, folder in guard_cases(shared)
    ]
    pairs += [
        (folder / "log.txt", folder / "trace", "recompiles,graph_breaks")
        for _, folder in user_cases(shared)
    ]
    for text, trace, logged in pairs:
        if not text.exists() or not trace.exists():
            continue
        one, other = of(text), of(trace)
        if one is None or other is None:
            quiet = not _facts(other, logged) if other else True
            same.count(quiet, text.parent.name, "only one of them was read")
            continue
        mine, theirs = _facts(one, logged), _facts(other, logged)
        same.count(mine == theirs, text.parent.name, f"{mine ^ theirs}"[:300])
    return [same]


def _env(folder: Path) -> str:
    path = folder / "env.json"
    logged = json.loads(path.read_text(encoding="utf-8")).get("TORCH_LOGS", "")
    # The verbose form names every failing guard; the trace of the same run only the first.
    return "" if "verbose" in logged else str(logged)


def _facts(found: Diagnosis | None, logged: str) -> set[tuple[object, ...]]:
    """What both forms can tell: causes, and breaks by kind and line."""
    if found is None:
        return set()
    facts: set[tuple[object, ...]] = set()
    if "recompiles" in logged:
        facts |= {
            (cause.kind, cause.source, cause.dimension, cause.times, cause.compile_ids)
            for cause in found.causes
        }
        facts |= {(item.frame.function, item.limit) for item in found.fallbacks}
    if "graph_breaks" in logged:
        facts |= {
            (item.gb_id, item.frame.line, item.whole_frame, item.why) for item in found.graph_breaks
        }
    return facts


PARTS = {"guards": guards, "user": user, "traces": traces, "agreement": agreement}


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", help="guards, user, traces, agreement; all by default")
    parser.add_argument("--shared", type=Path, default=SHARED)
    parser.add_argument("--quiet", action="store_true")
    arguments = parser.parse_args()
    for part in arguments.parts or PARTS:
        for score in PARTS[part](arguments.shared):
            print(score)
            if not arguments.quiet:
                print(*(f"    {line}" for line in score.wrong), sep="\n")


if __name__ == "__main__":
    main()
