"""What a session's screen does about a cause: trials of remedies, changes of the source."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

import msgspec
from textual.message_pump import MessagePump

from compilescope import store
from compilescope.diagnose import diagnose
from compilescope.diagnosis import Cause
from compilescope.errors import CompilescopeError
from compilescope.model import Finding
from compilescope.tui import fixes, patches
from compilescope.tui.program import Program, program_of
from compilescope.tui.screens.acting import find_file
from compilescope.tui.screens.ask import Ask
from compilescope.tui.screens.fix import FixScreen
from compilescope.tui.sources import HOME, Opened
from compilescope.tui.trials import Trials
from compilescope.tui.views.trials import summary
from compilescope.tui.views.words import few, place, said, seconds, short
from compilescope.tui.widgets.grid import Grid

if TYPE_CHECKING:
    from compilescope.tui.app import Scope
    from compilescope.tui.fixes import Fix
    from compilescope.tui.screens.session import SessionScreen

_RUNS = 8


class Remedying(MessagePump):
    """The actions of a session's screen that change the program or try to."""

    def action_tune(self) -> None:
        screen = _screen(self)
        cause = screen.query_one(Grid).item
        running = screen.at.tried is not None and screen.at.tried.running
        on_cause = isinstance(cause, Cause) and not running
        if screen.at.tried is not None and screen.at.active != "v" and not on_cause:
            screen.action_view("v")
            return
        if screen.at.opened is None:
            return
        app = _app(screen)
        if app.trials is not None and app.trials.tried.running:
            screen.notify("trials are running: x stops them")
            return
        if screen.live is not None and screen.live.is_running():
            screen.notify("the program is still running: trials come when it has ended")
            return
        try:
            program = program_of(screen.at.opened.session, screen.path)
        except CompilescopeError as error:
            if screen.at.tried is not None:
                screen.action_view("v")
            screen.notify(said(error), severity="warning", timeout=8, markup=False)
            return
        _ask(screen, program, cause if isinstance(cause, Cause) else None)

    def action_stop_trials(self) -> None:
        screen = _screen(self)
        trials = _app(screen).trials
        if trials is None or not trials.tried.running:
            screen.notify("no trials are running")
            return
        trials.stop()
        screen.notify("stopping: what is known by now stays")

    def look_at_trials(self) -> None:
        """Show what came of the trials since the last look."""
        screen = _screen(self)
        trials = _app(screen).trials
        if trials is None or trials.path.absolute() != screen.path.absolute():
            return
        if trials.look() or screen.at.tried is None:
            _show(screen, trials)
        elif trials.tried.running and screen.at.active == "v":
            screen.query_one(Grid).refresh()  # the time goes on

    def action_fix(self) -> None:
        screen = _screen(self)
        if screen.at.opened is not None and screen.query_one(Grid).item is not None:
            screen.run_worker(lambda: _prepare(screen), thread=True, group="fix", exclusive=True)

    def action_undo(self) -> None:
        screen = _screen(self)
        made, app = _app(screen).changed, _app(screen)
        if not made:
            screen.notify("nothing was changed from here")
            return
        names = ", ".join(patches.shown(change.path) for change in made)
        try:
            for change in made:
                patches.write(patches.undone(change))
        except CompilescopeError as error:
            screen.notify(said(error), severity="error", timeout=8, markup=False)
            return
        app.changed = ()
        screen.notify(f"{names} is as it was before")


def _ask(screen: SessionScreen, program: Program, cause: Cause | None) -> None:
    assert screen.at.index is not None
    causes = screen.at.index.diagnosis.causes
    if not causes:
        screen.notify("nothing recompiles: there is nothing to try")
        return
    chosen = cause or causes[0]
    letter = screen.at.index.letters[chosen.id]
    each = f" of about {seconds(program.seconds)} each" if program.seconds else ""
    text = (
        f"cause {letter}  {place(chosen.frame)}\n"
        f"runs     {' '.join(program.command)}\n"
        f"in       {short(str(program.folder))}\n"
        f"up to {_RUNS + 2} runs{each}; your source stays as it is"
    )
    answers = {"enter": f"try remedies for {letter}"}
    if len(causes) > 1:
        answers["a"] = f"for all {few(len(causes), 'cause')} together"
    if screen.at.tried is not None:
        answers["v"] = "show the trials that were made"
    answers["esc"] = "not now"

    def answered(key: str | None) -> None:
        if key == "v":
            screen.action_view("v")
        elif key:
            _start(screen, program, (chosen.id,) if key == "enter" else ())

    screen.app.push_screen(Ask("try remedies", text, answers), answered)


def _start(screen: SessionScreen, program: Program, causes: tuple[str, ...]) -> None:
    app = _app(screen)
    if app.trials is not None:
        app.trials.close()
    try:
        app.trials = Trials(program, screen.path, causes, _RUNS)
    except CompilescopeError as error:
        screen.notify(said(error), severity="error", markup=False)
        return
    screen.at.take_trials(app.trials.tried)
    screen.action_view("v")


def _show(screen: SessionScreen, trials: Trials) -> None:
    screen.at.take_trials(trials.tried)
    if not trials.tried.running:
        screen.notify(summary(trials.tried), timeout=8, markup=False)
        if trials.proofs:
            screen.run_worker(lambda: _prove(screen, trials), thread=True, group="prove")
    screen.draw()


def _prove(screen: SessionScreen, trials: Trials) -> None:
    """Have the remedies say what the trials showed about them."""
    opened = screen.at.opened
    assert opened is not None
    proofs = (*opened.session.proofs, *trials.proofs)
    session = msgspec.structs.replace(opened.session, proofs=proofs)
    found = Opened(opened.path, session, diagnose(session))
    screen.app.call_from_thread(screen.show, found)


def _prepare(screen: SessionScreen) -> None:
    """Find the change for the selected row, and show it."""
    try:
        fix = _wanted(screen)
    except Exception as error:  # noqa: BLE001  a rule is a pack, which may be anybody's
        screen.app.call_from_thread(
            screen.notify, said(error), severity="warning", timeout=8, markup=False
        )
        return
    screen.app.call_from_thread(
        screen.app.push_screen, FixScreen(fix), lambda yes: _write(screen, fix) if yes else None
    )


def _wanted(screen: SessionScreen) -> Fix:
    item, table, opened = screen.query_one(Grid).item, screen.at.table, screen.at.opened
    assert table is not None
    assert opened is not None
    tried = screen.at.tried
    if screen.at.active == "v" and tried is not None:
        return fixes.proved(tried, program_of(opened.session, screen.path).folder)
    best = tried.best if tried is not None else None
    if best is not None and isinstance(item, Cause) and item.id not in best.left:
        assert tried is not None
        if tried.tuning and tried.tuning.patch and tried.tuning.patch.diff:
            return fixes.proved(tried, program_of(opened.session, screen.path).folder)
    frame = table.frame(item)
    if frame is None or not frame.line:
        raise CompilescopeError("this row has no line of source")
    path = find_file(frame.path, screen)
    if path is None:
        raise CompilescopeError(f"{short(frame.path)} is not on this machine")
    recorded = opened.session.sources.get(frame.path, {})
    code = item.code if isinstance(item, Finding) else ""
    return fixes.at_line(path, frame, recorded, code)


def _write(screen: SessionScreen, fix: Fix) -> None:
    kept = _keep(screen, fix)
    try:
        for change in fix.changes:
            patches.write(change)
    except CompilescopeError as error:
        screen.notify(said(error), severity="error", timeout=8, markup=False)
        return
    _app(screen).changed = fix.changes
    names = ", ".join(patches.shown(change.path) for change in fix.changes)
    here = not any(patches.shown(change.path).startswith("/") for change in fix.changes)
    command = "git apply -R" if here else "patch -R -p1 -d / -i"
    later = f", later: {command} {kept}" if kept else ""
    screen.notify(f"changed {names}. Undo: u{later}", timeout=12, markup=False)


def _keep(screen: SessionScreen, fix: Fix) -> str:
    """The file that has the change as a diff, for whoever wants it back later."""
    folder = screen.path.absolute().parent
    name = f"{fix.changes[0].path.stem}-applied.diff"
    path = folder / name if folder.name == HOME else Path(HOME) / name
    try:
        store.write(fix.diff().encode(), path)
    except CompilescopeError:
        return ""
    return short(str(path)) if path.is_relative_to(Path.cwd()) else str(path.absolute())


def _screen(remedying: Remedying) -> SessionScreen:
    return cast("SessionScreen", remedying)


def _app(screen: SessionScreen) -> Scope:
    return cast("Scope", screen.app)
