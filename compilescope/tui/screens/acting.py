"""What a session's screen does to the outside: editor, clipboard, report, other sessions."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from textual.message_pump import MessagePump

from compilescope import store
from compilescope.errors import CompilescopeError
from compilescope.packs import report
from compilescope.tui.editor import chosen, command_for
from compilescope.tui.sources import open_session, report_path
from compilescope.tui.views.words import said, short
from compilescope.tui.widgets.grid import Grid

if TYPE_CHECKING:
    from compilescope.model import Frame
    from compilescope.tui.app import Scope
    from compilescope.tui.screens.session import SessionScreen


class Acting(MessagePump):
    """The actions of a session's screen that reach outside it."""

    def action_edit(self) -> None:
        screen = _screen(self)
        frame = _frame(screen)
        if frame is None:
            screen.notify("this row has no line of source")
            return
        path = find_file(frame.path, screen)
        if path is None:
            screen.notify(f"{short(frame.path)} is not on this machine", severity="warning")
            return
        try:
            _app(screen).run_editor(command_for(chosen(), str(path), frame.line))
        except OSError as error:
            text = f"cannot start {chosen()}: {error.strerror}; set $EDITOR"
            screen.notify(text, severity="error")

    def action_copy_fix(self) -> None:
        screen = _screen(self)
        grid, table = screen.query_one(Grid), screen.at.table
        text = table.fix(grid.item) if table is not None and grid.item is not None else ""
        _copy(screen, text, "this row has no fix")

    def action_copy_place(self) -> None:
        screen = _screen(self)
        frame = _frame(screen)
        text = f"{frame.path}:{frame.line}" if frame is not None else ""
        _copy(screen, text, "this row has no line of source")

    def action_report(self) -> None:
        screen = _screen(self)
        if screen.at.opened is not None:
            screen.run_worker(lambda: _write_report(screen), thread=True, group="report")

    def action_compare(self) -> None:
        from compilescope.tui.screens.sessions import SessionsScreen

        screen = _screen(self)
        if screen.at.opened is not None:
            chooser = SessionsScreen(
                _around(screen), choose="compare with which earlier run?", without=screen.path
            )
            screen.app.push_screen(chooser, lambda path: _compare(screen, path))

    def action_sessions(self) -> None:
        from compilescope.tui.screens.sessions import SessionsScreen

        screen = _screen(self)
        below = screen.app.screen_stack[-2]
        if isinstance(below, SessionsScreen):
            screen.app.pop_screen()
        else:
            screen.app.push_screen(SessionsScreen(_around(screen)))


def _write_report(screen: SessionScreen) -> None:
    opened = screen.at.opened
    assert opened is not None
    path = report_path(opened.path)
    try:
        if path != opened.path:
            text = report("html")(opened.diagnosis, session_json=store.encode(opened.session))
            path.write_text(text, encoding="utf-8")
        shown = _app(screen).open_page(path)
        text, tone = f"{'opened' if shown else 'written to'} {short(str(path))}", "information"
    except Exception as error:  # noqa: BLE001  a report is a pack, which may be anybody's
        text, tone = f"no report: {getattr(error, 'strerror', '') or said(error)}", "error"
    screen.app.call_from_thread(screen.notify, text, severity=cast("Any", tone), timeout=8)


def _compare(screen: SessionScreen, path: Path | None) -> None:
    if path is not None:
        screen.run_worker(lambda: _read_other(screen, path), thread=True, group="compare")


def _read_other(screen: SessionScreen, path: Path) -> None:
    from compilescope.diagnose.compare import compare

    assert screen.at.opened is not None
    try:
        found = compare(open_session(path).diagnosis, screen.at.opened.diagnosis)
    except CompilescopeError as error:
        screen.app.call_from_thread(screen.notify, said(error), severity="error")
        return
    screen.app.call_from_thread(screen.show_comparison, found)


def _around(screen: SessionScreen) -> tuple[Path, ...]:
    """What a list of sessions shows: what was asked for, or the folder of this session."""
    paths = _app(screen).paths
    return paths if len(paths) > 1 else (screen.path.absolute().parent,)


def find_file(path: str, screen: SessionScreen) -> Path | None:
    """The file on this machine, also where its path starts from the folder of the run."""
    places = (Path(path), screen.path.absolute().parent / path, screen.path.parent.parent / path)
    return next((place for place in places if place.is_file()), None)


def _copy(screen: SessionScreen, text: str, otherwise: str) -> None:
    if not text:
        screen.notify(otherwise)
        return
    screen.app.copy_to_clipboard(text)
    lines = text.splitlines()
    more = f" … ({len(lines)} lines)" if len(lines) > 1 else ""
    screen.notify(f"copied  {lines[0]}{more}", markup=False)


def _frame(screen: SessionScreen) -> Frame | None:
    grid, table = screen.query_one(Grid), screen.at.table
    if table is None or grid.item is None:
        return None
    frame = table.frame(grid.item)
    return frame if frame is not None and frame.line and not _is_made_up(frame.path) else None


def _is_made_up(path: str) -> bool:
    return not path or (path.startswith("<") and not os.path.exists(path))


def _screen(acting: Acting) -> SessionScreen:
    return cast("SessionScreen", acting)


def _app(screen: SessionScreen) -> Scope:
    return cast("Scope", screen.app)
