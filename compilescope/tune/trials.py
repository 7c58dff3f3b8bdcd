"""Runs of the program with overlays: each a fresh process with compile caches of its own."""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from compilescope.diagnose import diagnose
from compilescope.diagnosis import Diagnosis
from compilescope.model import Session
from compilescope.probe.launcher import AGENT, Run, probe
from compilescope.tune import agreement
from compilescope.tune.measure import Notes, measure, read_notes
from compilescope.tune.remedy import Candidate, applied, overlay
from compilescope.tuning import Outcome, Outputs, Trial

KEPT_INPUTS = 256 * 2**20
RUNNER = AGENT / "_compilescope_agent" / "overlay_main.py"


class BudgetSpentError(Exception):
    """No more runs are allowed, or no more time."""


class StoppedError(Exception):
    """The user interrupted a run."""


@dataclass(frozen=True)
class Ran:
    """A trial with all that a next one may be planned from."""

    trial: Trial
    session: Session
    diagnosis: Diagnosis
    notes: Notes
    candidates: tuple[Candidate, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the program ran to its end as it does without remedies, with the same results."""
        return self.trial.outcome not in ("failed", "wrong", "refused")


@dataclass
class Bench:
    """Where and how the trials run, and what is left of the budget."""

    command: tuple[str, ...]
    name: str
    folder: Path
    runs: int = 12
    seconds: float = 1800.0
    warm_cache: bool = False
    sync: bool = False
    quiet: bool = False
    began: float = field(default_factory=time.monotonic)
    baseline: Ran | None = None
    random: str = ""  # how two plain runs differed
    done: list[Ran] = field(default_factory=list)
    checked: bool = False  # whether the baseline was run twice

    def left(self) -> int:
        """Runs that may still be made; the baseline is not counted."""
        out_of_time = time.monotonic() - self.began > self.seconds
        return 0 if out_of_time else max(0, self.runs - len(self.done))

    def start(self) -> Ran:
        """The program as it is, but for the look at its outputs."""
        self.say("baseline")
        found = self._run(0, (), {"observe": {"outputs": True, "inputs": KEPT_INPUTS}})
        self.baseline = found
        self.told(found)
        return found

    def check_outputs(self) -> str:
        """How a second plain run differs from the first, "" where the program repeats itself."""
        if not self.checked and self.baseline is not None:
            self.checked = True
            self.say("baseline again, for its outputs")
            again = self._run(0, (), {"observe": {"outputs": True}}, stem="again")
            self.random = agreement.difference(self.baseline.notes.outputs, again.notes.outputs)
            if not self.quiet:
                print(f" {self.random or 'the outputs agree'}", file=sys.stderr)
        return self.random

    def attempt(
        self,
        candidates: tuple[Candidate, ...],
        label: str = "",
        sources: dict[str, str] | None = None,
    ) -> Ran:
        """A run with `candidates` applied, judged against the baseline.

        Raises:
            BudgetSpentError: it is not allowed any more.
            StoppedError: the user interrupted it.
        """
        if self.left() <= 0:
            raise BudgetSpentError
        number = len(self.done) + 1
        content = overlay(candidates) | {"observe": {"outputs": True}}
        if sources:
            content["sources"] = sources
        self.say(label or ", ".join(one.text for one in applied(candidates)) or "changed source")
        found = self._run(number, candidates, content, label)
        self.done.append(found)
        self.told(found)
        return found

    def say(self, text: str) -> None:
        """Show what is run, on stderr."""
        if not self.quiet:
            short = text if len(text) <= 90 else f"{text[:89]}…"
            print(f"[{len(self.done)}/{self.runs}] {short}:", end="", file=sys.stderr, flush=True)

    def told(self, found: Ran) -> None:
        """Show what came of it."""
        if not self.quiet:
            measures = found.trial.measures
            text = f" {measures.recompiles} recompiles, {found.trial.outcome}"
            print(text, file=sys.stderr, flush=True)

    def _run(
        self,
        number: int,
        candidates: tuple[Candidate, ...],
        content: dict[str, Any],
        label: str = "",
        stem: str = "",
    ) -> Ran:
        stem = stem or f"trial-{number}"
        raw = self.folder / f"{stem}.raw"
        shutil.rmtree(raw, ignore_errors=True)
        path = self.folder / f"{stem}.overlay.json"
        path.write_bytes(msgspec.json.encode(content))
        cache = tempfile.mkdtemp(prefix="cache-", dir=self.folder)
        variables = {"COMPILESCOPE_OVERLAY": str(path.absolute())}
        if not self.warm_cache:
            variables["TORCHINDUCTOR_CACHE_DIR"] = cache
        run = Run(
            self._command(content),
            self.name,
            self.folder / f"{stem}.cscope.json.gz",
            raw,
            self.sync,
            variables=variables,
            log=self.folder / f"{stem}.log",
            limit=max(60.0, self.seconds - (time.monotonic() - self.began)),
        )
        outcome = probe(run)
        shutil.rmtree(cache, ignore_errors=True)
        session = outcome.session
        if session.how == "interrupted":
            raise StoppedError
        return self._judged(number, candidates, session, content, label, stem)

    def _command(self, content: dict[str, Any]) -> tuple[str, ...]:
        """The command; a script with changed text goes through a runner that can load it."""
        sources = content.get("sources", {})
        if len(self.command) > 1 and str(Path(self.command[1]).resolve()) in sources:
            return (self.command[0], str(RUNNER), *self.command[1:])
        return self.command

    def _judged(
        self,
        number: int,
        candidates: tuple[Candidate, ...],
        session: Session,
        content: dict[str, Any],
        label: str,
        stem: str,
    ) -> Ran:
        diagnosis = diagnose(session)
        notes = read_notes(self.folder / f"{stem}.raw")
        trial = Trial(
            number=number,
            remedies=applied(candidates),
            measures=measure(session, diagnosis, notes),
            outcome="baseline",
            left=tuple(cause.id for cause in diagnosis.causes),
            refused=tuple(notes.refused),
            session=str(self.folder / f"{stem}.cscope.json.gz"),
            overlay=msgspec.json.encode(content).decode(),
            label=label,
        )
        found = Ran(trial, session, diagnosis, notes, candidates)
        if self.baseline is None or (not candidates and not content.get("sources")):
            return found
        outcome, why, outputs = self._outcome(found)
        judged = msgspec.structs.replace(trial, outcome=outcome, why=why, outputs=outputs)
        return Ran(judged, session, diagnosis, notes, candidates)

    def _outcome(self, found: Ran) -> tuple[Outcome, str, Outputs]:
        base = self.baseline
        assert base is not None
        before, after = base.trial.measures, found.trial.measures
        if found.session.how != base.session.how or found.session.code != base.session.code:
            return "failed", self._failure(found), "not compared"
        outputs, difference = self._outputs(base, found)
        if outputs == "differ":
            return "wrong", difference, outputs
        named = [text.partition(":")[0] for text in found.trial.refused]
        never = [text for text in named if text not in found.notes.applied]
        if never and found.trial.refused:
            return "refused", found.trial.refused[0], outputs
        worse = after.breaks > before.breaks
        extra = f"{after.breaks - before.breaks} more graph breaks" if worse else ""
        if after.recompiles == 0 and after.fallbacks == 0:
            return "solved", extra, outputs
        if (after.recompiles, after.fallbacks) < (before.recompiles, before.fallbacks):
            return "better", extra, outputs
        return "no better", extra, outputs

    def _outputs(self, base: Ran, found: Ran) -> tuple[Outputs, str]:
        if self.random:
            return "random", ""
        if not agreement.compared(base.notes.outputs):
            return "not compared", ""
        difference = agreement.difference(base.notes.outputs, found.notes.outputs)
        if not difference:
            return "agree", ""
        if self.check_outputs():
            return "random", ""
        return "differ", difference

    def _failure(self, found: Ran) -> str:
        texts = [process.error for process in found.session.processes if process.error]
        log = self.folder / f"trial-{found.trial.number}.log"
        if texts:
            return _first(texts[0])
        lines = log.read_text(errors="replace").strip().splitlines() if log.exists() else []
        return lines[-1][:300] if lines else f"exit code {found.session.code}"


def _first(text: str) -> str:
    return text.strip().partition("\n")[0][:300]
