"""From the best trial to a change of the user's source, proved by a run of the changed source."""

from __future__ import annotations

import ast
from pathlib import Path

import libcst as cst

from compilescope import store
from compilescope.tune.patch_entries import by_hand, edit
from compilescope.tune.patch_sources import Sources
from compilescope.tune.remedy import Candidate
from compilescope.tune.source_edits import CannotEditError
from compilescope.tune.trials import Attempt, Bench, Ran
from compilescope.tuning import Patch


def patch(bench: Bench, best: Ran, *, apply: bool) -> Patch:
    """The change that does what `best` did, run once; written where `apply` asks and it holds."""
    sources = Sources(best, _script(bench.command))
    paste = []
    # One change may be a remedy of several causes; made once, it is made for all.
    candidates = {one.key: one for one in best.candidates}.values()
    rewritten = [one for one in candidates if _is_rewrite(one)]
    overlaid = [one for one in candidates if not _is_rewrite(one)]
    for place, candidate in enumerate((*rewritten, *overlaid)):
        if place == len(rewritten):
            sources.ran = dict(sources.after)
        # All entries of a remedy or none: half a remedy is another one.
        kept = dict(sources.after)
        try:
            for entry in candidate.entries:
                edit(sources, entry)
        except (CannotEditError, cst.ParserSyntaxError) as error:
            sources.after = kept
            paste.append(by_hand(candidate, sources, str(error)))
    if not sources.after:
        return Patch(paste=tuple(paste), why="Nothing could be edited safely.")
    return _verified(bench, best, sources, tuple(paste), apply=apply)


def _is_rewrite(candidate: Candidate) -> bool:
    return any(entry.section == "rewrite" for entry in candidate.entries)


def _verified(
    bench: Bench, best: Ran, sources: Sources, paste: tuple[str, ...], *, apply: bool
) -> Patch:
    texts = {}
    for number, (path, text) in enumerate(sources.after.items()):
        ast.parse(text)
        changed = bench.folder / f"source-{number}.py"
        changed.write_text(text, encoding="utf-8")
        texts[str(path)] = str(changed.absolute())
    ran = bench.beside(Attempt((), "the changed source", texts))
    before, after = best.trial.measures.recompiles, ran.trial.measures.recompiles
    holds = ran.trial.outcome in ("solved", "better") and (after <= before or bool(paste))
    count = f"{after} recompile{'s' * (after != 1)}"
    why = f"Verified: a run of the changed source has {count}"
    if after > before:
        why = f"Verified in part: a run of the changed source has {count}, the best trial {before}"
    if ran.trial.outputs == "agree":
        why += ", and the same outputs" if after > before else " and the same outputs"
    else:
        why += "; its outputs could not be compared"
    if not holds:
        reason = ran.trial.why or count
        why = f"Not verified: a run of the changed source: {ran.trial.outcome}, {reason}."
    written = apply and holds
    if written:
        for path in sources.after:
            if path.read_text(encoding="utf-8") != sources.before[path]:
                written, why = False, f"Not written: {path} was changed meanwhile."
                break
        else:
            for path, text in sources.after.items():
                store.write(text.encode(), path)
    return Patch(sources.diff(), paste, holds, why, ran.trial.measures, written)


def _script(command: tuple[str, ...]) -> Path | None:
    path = Path(command[1]) if len(command) > 1 else None
    return path.resolve() if path is not None and path.suffix == ".py" and path.exists() else None
