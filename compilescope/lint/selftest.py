"""Whether the verdicts of the rules hold on a torch: their examples, run there."""

from __future__ import annotations

import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from compilescope.errors import ProgramError
from compilescope.lint.engine import lint_source
from compilescope.lint.loader import rule_folder
from compilescope.lint.versions import NEWEST, OLDEST

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from compilescope.lint.rule import Rule
    from compilescope.lint.versions import Versions

CHILD = Path(__file__).with_name("selftest_child.py")
Status = Literal["holds", "fails", "other torch", "cannot run", "no examples", "not judged"]
STATUSES: tuple[Status, ...] = get_args(Status)


@dataclass(frozen=True)
class Verdict:
    """What the examples of one rule showed."""

    code: str
    name: str
    status: Status
    why: str = ""
    torch: str = ""


def selftest(rules: Iterable[Rule], python: str) -> list[Verdict]:
    """Run the examples of `rules` with the interpreter `python`, which has torch.

    Raises:
        ProgramError: the interpreter could not be run or has no torch.
    """
    listed = list(rules)
    paths = [
        str(path)
        for rule in listed
        if judged_by(rule)
        for name in ("before.py", "after.py")
        if (path := Path(rule_folder(type(rule))) / name).is_file()
    ]
    workers = max(min(os.cpu_count() or 1, len(paths), 8), 1)
    shares = [paths[index::workers] for index in range(workers)]
    measured: dict[str, dict[str, Any]] = {}
    with ThreadPoolExecutor(workers) as pool:
        for records in pool.map(lambda share: _measure(share, python), shares):
            measured |= records
    return [_judge(rule, measured) for rule in listed]


def judged_by(rule: Rule) -> Literal["break", "recompile", ""]:
    """Which symptom the rule's examples show under torch.compile; "" where it is another."""
    return {"CS1": "break", "CS2": "recompile"}.get(rule.code[:3], "")  # type: ignore[return-value]


def _measure(paths: Sequence[str], python: str) -> dict[str, dict[str, Any]]:
    if not paths:
        return {}
    environment = {
        k: v for k, v in os.environ.items() if not k.startswith(("TORCH_LOGS", "TORCH_TRACE"))
    }
    done = subprocess.run(  # noqa: S603  the user's own interpreter
        [python, str(CHILD), *paths],
        check=False,
        capture_output=True,
        text=True,
        env=environment,
        stdin=subprocess.DEVNULL,
    )
    records = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if not records:
        lines = done.stderr.strip().splitlines()
        raise ProgramError(
            f"cannot run the examples with {python}",
            cause=lines[-1] if lines else f"exit code {done.returncode}",
            hint="--python names an interpreter that has torch",
        )
    return {record["path"]: record for record in records}


def _judge(rule: Rule, measured: dict[str, dict[str, Any]]) -> Verdict:
    folder = Path(rule_folder(type(rule)))
    symptom = judged_by(rule)
    if not symptom:
        return Verdict(rule.code, rule.name, "not judged", "neither a break nor a recompile")
    before, after = (measured.get(str(folder / name)) for name in ("before.py", "after.py"))
    if before is None:
        return Verdict(rule.code, rule.name, "no examples")
    version = str(before.get("torch", ""))
    status, why = _compare(rule, before, after, symptom)
    return Verdict(rule.code, rule.name, status, why, version)


def _is_silent(rule: Rule, torch: tuple[int, int]) -> bool:
    """Whether the rule says nothing of its example on this torch, though it does on others."""
    path = Path(rule_folder(type(rule))) / "before.py"
    text = path.read_text(encoding="utf-8")

    def told(target: Versions) -> bool:
        return bool(
            lint_source(
                text, "before.py", rules=[type(rule)], compiled=("make()",), target_torch=target,
                follow=False,
            )
        )  # fmt: skip

    return told((OLDEST, NEWEST)) and not told((torch, torch))


def _compare(
    rule: Rule, before: dict[str, Any], after: dict[str, Any] | None, symptom: str
) -> tuple[Status, str]:
    broken = before.get("error") or before.get("eager_error")
    if broken:
        missing = broken.startswith(("ModuleNotFoundError", "ImportError"))
        return "cannot run" if missing else "fails", f"before.py does not run: {broken}"
    version = str(before["torch"])
    major, minor = version.split(".")[:2]
    numbers = int(major), int(minor)
    shows = _shows(before, symptom)
    if not rule.since <= numbers <= rule.until:
        if shows:
            return "fails", f"it shows on {version} too, outside of the rule's range"
        return "other torch", ""
    if not shows and _is_silent(rule, numbers):
        return "other torch", ""
    if not shows:
        return "fails", f"before.py shows no {symptom}"
    if after is None:
        return "holds", ""
    why = after.get("error") or after.get("eager_error") or _shows(after, symptom)
    return ("fails", f"after.py: {why}") if why else ("holds", "")


def _shows(record: dict[str, Any], symptom: str) -> str:
    """How the symptom shows; an error that eager does not have is one, too."""
    if symptom == "break" or record["raised"]:
        return str(record["raised"] or record["broke"])
    return f"{record['recompiles']} recompiles" if record["recompiles"] else ""
