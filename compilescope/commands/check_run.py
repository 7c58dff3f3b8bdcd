"""One `check`: the session, its judgement, and the judgement told."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from compilescope import packs, store
from compilescope.commands import output
from compilescope.commands.check_settings import Settings, settings
from compilescope.diagnose import diagnose
from compilescope.diagnose.compare import compare
from compilescope.errors import ExitCode, InputError, UsageError
from compilescope.gate import Judgement, judge

if TYPE_CHECKING:
    from compilescope.diagnosis import Diagnosis
    from compilescope.model import Session


def check(given: dict[str, Any]) -> ExitCode:
    """Judge what the command line named; the exit code says how it went."""
    wanted = settings(given)
    form = given["form"]
    packs.report(form)  # a mistyped format is told before a long program runs
    session = _session(given, form)
    diagnosis = diagnose(session)
    judged = _judge(diagnosis, wanted, updating=given["update_baseline"])
    if given["update_baseline"]:
        judged = _update(session, judged, wanted)
    _tell(judged, diagnosis, form, given["output_file"])
    return ExitCode.CLEAN if judged.passed else ExitCode.FINDINGS


def _session(given: dict[str, Any], form: str) -> Session:
    target = given["target"]
    if not target:
        raise UsageError(
            "no session and no program was named", hint="compilescope check run.cscope.json.gz"
        )
    if store.is_session(Path(target[0])):
        if len(target) > 1:
            raise UsageError(f"unexpected `{target[1]}` after {target[0]}")
        return output.load(Path(target[0]))
    from compilescope.probe.arguments import program
    from compilescope.probe.launcher import Run, probe

    arguments, name = program(target, given["python"])
    # Where stdout is a document of ours, the program's own must not be in it.
    ours = form != "terminal" and given["output_file"] is None
    outcome = probe(Run(arguments, name, given["output"], stdout_to_stderr=ours))
    print(f"compilescope: session in {outcome.path}", file=sys.stderr)
    return outcome.session


def _judge(diagnosis: Diagnosis, wanted: Settings, *, updating: bool) -> Judgement:
    comparison = None
    if wanted.baseline is not None and not updating:
        if not wanted.baseline.exists():
            raise InputError(
                f"the baseline {wanted.baseline} does not exist",
                hint="--update-baseline makes this run the baseline",
            )
        comparison = compare(diagnose(output.load(wanted.baseline)), diagnosis)
    judged = judge(diagnosis, wanted.limits, comparison)
    if wanted.allow_incomplete:
        notes = (*judged.notes, *judged.holes)
        judged = msgspec.structs.replace(judged, holes=(), notes=notes)
    return judged


def _update(session: Session, judged: Judgement, wanted: Settings) -> Judgement:
    assert wanted.baseline is not None
    if judged.undecided or judged.holes:
        # A run that shows nothing would make every later cause a new one, or none.
        return msgspec.structs.replace(
            judged, undecided=(*judged.undecided, "the baseline was therefore not written")
        )
    store.save(session, wanted.baseline)
    print(f"compilescope: {wanted.baseline} is the baseline", file=sys.stderr)
    return judged


def _tell(judged: Judgement, diagnosis: Diagnosis, form: str, file: Path | None) -> None:
    text = _document(judged, diagnosis, form, output.width() if file is None else 100)
    if file is not None:
        store.write(text.encode(), file)
    if file is not None or form != "terminal":
        print("\n".join(_headline(judged)), file=sys.stderr)
    if file is None:
        output.write(text)


def _headline(judged: Judgement) -> list[str]:
    first, *rest = judged.lines()
    return [f"compilescope check: {first}", *rest]


def _document(judged: Judgement, diagnosis: Diagnosis, form: str, width: int) -> str:
    shown = judged.narrowed(diagnosis)
    if form == "json":
        content = {
            "passed": judged.passed,
            "verdict": judged.verdict,
            "judgement": judged,
            "diagnosis": shown,
        }
        return msgspec.json.format(msgspec.json.encode(content), indent=2).decode()
    color = output.color() and form == "terminal"
    if form == "terminal":
        head = "\n".join(_headline(judged))
        if not judged.crossed:
            return head
        return f"{head}\n\n{packs.report(form)(shown, width=width, color=color)}"
    text = packs.report(form)(shown, width=width, color=color)
    return _errors(judged) + text if form == "github" else text


def _errors(judged: Judgement) -> str:
    texts = [f"{item.limit}: {item.text}" for item in judged.crossed]
    return "".join(
        f"::error title=compilescope check::{text}\n"
        for text in (*texts, *judged.undecided, *judged.holes)
    ).replace("%", "%25")
