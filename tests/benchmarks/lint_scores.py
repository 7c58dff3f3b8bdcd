"""How well `lint` finds what was measured: snippets, user programs, real models.

usage: python tests/benchmarks/lint_scores.py {snippets|user|zoo} [--misses] [--shared FOLDER]
       [--torch 2.11]        snippets: for the verdicts of another release (2.11, 2.13, 2.14)
       [--site FOLDER]       site-packages with the zoo's libraries (pip install --no-deps)
       [--torchfix PROGRAM]  score TorchFix, with all its rules, instead

Precision and recall of the static findings against what torch did (../shared/cases).
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

from compilescope.lint.engine import Project, lint_project
from compilescope.model import Finding

SHARED = Path(__file__).resolve().parents[3] / "shared" / "cases"
STRONG = ("raises", "eager", "limit", "split")


TORCHFIX = ""  # the program to score instead
TORCH = (2, 13)


def lint(paths: list[Path], compiled: tuple[str, ...] = ()) -> list[Finding]:
    """Findings of files, for the chosen torch."""
    if TORCHFIX:
        whole = [path.parent.parent if path.name == "case.py" else path.parent for path in paths]
        return [f for p, w in zip(paths, whole, strict=True) for f in theirs(w).get(str(p), [])]
    project = Project({str(p): p.read_text(encoding="utf-8") for p in paths})
    return lint_project(project, target_torch=TORCH, compiled=compiled)


@cache
def theirs(folder: Path) -> dict[str, list[Finding]]:
    """What TorchFix says of a folder, by file."""
    command = [TORCHFIX, "--select", "ALL", str(folder)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    found: dict[str, list[Finding]] = {}
    for match in re.finditer(r"^(\S+\.py):(\d+):\d+: (TOR\d+) (.*)$", done.stdout, re.MULTILINE):
        line = int(match[2])
        finding = Finding(
            path=match[1],
            line=line,
            column=1,
            end_line=line,
            end_column=1,
            code=match[3],
            name=match[3],
            message=match[4],
        )
        found.setdefault(match[1], []).append(finding)
    return found


def broken_line(entry: dict[str, Any]) -> int | None:
    """The line of the snippet that torch named; a line of a library says nothing here."""
    match = re.search(r"user code at (\S+?\.py):(\d+)", entry.get("evidence") or "")
    if match is None or not match.group(1).endswith(entry["snippet"]):
        return None
    return int(match.group(2))


def snippets(folder: Path, show: bool) -> None:
    """Recall on what breaks or recompiles, false alarms on what does neither."""
    catalogue = json.loads((folder / "catalogue.json").read_text(encoding="utf-8"))
    bad = hit = exact = with_line = 0
    fine = alarms = notes = 0
    for entry in catalogue:
        path = folder / entry["snippet"]
        makes = path.read_text(encoding="utf-8").split("def make(")[0].count("\n")
        fixed = path.read_text(encoding="utf-8").split("def fixed(")[0].count("\n") + 1
        found = [f for f in lint([path], ("make()",)) if f.line < fixed or fixed <= makes]
        verdict = entry[f"verified_on_{TORCH[0]}_{TORCH[1]}"]
        if verdict in ("break", "error", "recompile"):
            bad += 1
            line = broken_line(entry)
            with_line += line is not None
            right = (
                bool(found) if line is None else any(f.line <= line <= f.end_line for f in found)
            )
            hit += right
            exact += right and line is not None
            if show and not right:
                print(
                    "MISS",
                    verdict,
                    entry["snippet"],
                    line,
                    [(f.line, f.code) for f in found],
                    "|",
                    entry["pattern_code"],
                )
        else:
            fine += 1
            strong = [f for f in found if f.severity in STRONG]
            alarms += bool(strong)
            notes += bool(found) and not strong
            if show and strong:
                print("FALSE", entry["snippet"], [(f.line, f.code, f.message) for f in strong])
    print(
        f"snippets: breaking or recompiling found {hit}/{bad} = {hit / bad:.1%}"
        f" (line known {exact}/{with_line})"
    )
    print(f"          harmless flagged {alarms}/{fine} = {alarms / fine:.1%}, notes only {notes}")


def user(folder: Path, show: bool) -> None:
    """Expected and clean lines of the user programs."""
    expected = found_lines = clean = flagged = 0
    for meta in sorted(folder.glob("*/meta.json")):
        truth = json.loads(meta.read_text(encoding="utf-8"))
        path = meta.parent / "case.py"
        found = lint([path])
        lines = {n for f in found for n in range(f.line, f.end_line + 1)}
        for entry in truth["lint_expected_lines"]:
            if entry["difficulty"] == "hard":
                continue
            expected += 1
            found_lines += entry["line"] in lines
            if show and entry["line"] not in lines:
                print("MISS", meta.parent.name, entry["line"], entry["why"])
        for entry in truth["lint_clean_lines"]:
            clean += 1
            wrong = [f for f in found if f.line == entry["line"]]
            flagged += bool(wrong)
            if show and wrong:
                print(
                    "FALSE", meta.parent.name, entry["line"], [(f.code, f.message) for f in wrong]
                )
        known = {
            e["line"]
            for key in ("lint_expected_lines", "lint_allowed_lines")
            for e in truth.get(key) or []
        }
        for finding in found:
            if (
                show
                and finding.line not in known
                and not any(finding.line <= k <= finding.end_line for k in known)
            ):
                print("OTHER", meta.parent.name, finding.line, finding.code, finding.message)
    print(f"user: expected lines found {found_lines}/{expected} = {found_lines / expected:.1%}")
    print(f"      clean lines flagged {flagged}/{clean}")


def zoo(folder: Path, site: Path, show: bool) -> None:
    """The zoo's own scorer on the findings for the measured library files."""
    truth = json.loads((folder / "truth_dev.json").read_text(encoding="utf-8"))
    files = sorted({f for case in truth for f in case["executed"]})
    paths = [site / f for f in files if (site / f).is_file()]
    scripts = sorted((folder / "scripts").glob("*.py"))
    found = lint([*paths, *scripts])
    rows = [
        {"file": f.path, "line": f.line, "end_line": f.end_line, "code": f.code}
        for f in found
        if f.severity in STRONG and f.code.startswith("CS1")  # the truth is of graph breaks
    ]
    output = Path("/tmp/zoo_findings.json")
    output.write_text(json.dumps(rows), encoding="utf-8")
    count = ("100", "100") if show else ("0", "0")
    subprocess.run(
        [
            sys.executable,
            str(folder / "score.py"),
            str(output),
            "--truth",
            str(folder / "truth_dev.json"),
            "--misses",
            count[0],
            "--false",
            count[1],
        ],
        env={**os.environ, "ZOO_SITE_PACKAGES": str(site)},
        check=True,
    )


def main() -> None:
    """Run the chosen score."""
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("snippets", "user", "zoo"))
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--shared", type=Path, default=SHARED)
    parser.add_argument("--site", type=Path, default=Path("/tmp/zoo"))
    parser.add_argument("--torchfix", default="")
    parser.add_argument("--torch", choices=("2.11", "2.13", "2.14"), default="2.13")
    options = parser.parse_args()
    globals()["TORCHFIX"] = options.torchfix
    globals()["TORCH"] = tuple(map(int, options.torch.split(".")))
    folder = options.shared / options.what
    if options.what == "zoo":
        zoo(folder, options.site, options.misses)
    else:
        {"snippets": snippets, "user": user}[options.what](folder, options.misses)


if __name__ == "__main__":
    main()
