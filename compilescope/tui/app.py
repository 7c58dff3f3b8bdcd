"""The application: what is open, which screen is in front, how it reaches the outside."""

from __future__ import annotations

import os
import subprocess
import webbrowser
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.app import App, SuspendNotSupported, SystemCommand

from compilescope.tui import sources
from compilescope.tui.keys import Place, keys_of
from compilescope.tui.screens.ask import Ask
from compilescope.tui.screens.help import HelpScreen
from compilescope.tui.screens.session import SessionScreen
from compilescope.tui.screens.sessions import SessionsScreen
from compilescope.tui.terminal import has_few_colours

if TYPE_CHECKING:
    from textual.screen import Screen

    from compilescope.tui.live import Live
    from compilescope.tui.patches import Change
    from compilescope.tui.trials import Trials


class Scope(App[None]):
    """Browse sessions; exits with nothing to say."""

    TITLE = "compilescope"
    CSS_PATH = "scope.tcss"
    ENABLE_COMMAND_PALETTE = True
    COMMAND_PALETTE_BINDING = "ctrl+p"

    def __init__(
        self,
        paths: Sequence[Path] = (),
        *,
        live: Live | None = None,
        keys: Mapping[str, str] | None = None,
    ) -> None:
        # NO_COLOR means none: Textual's own answer to it is shades of grey.
        plain = bool(os.environ.get("NO_COLOR"))
        super().__init__(ansi_color=True if plain else None)
        self.paths = tuple(paths)
        self.live = live
        self.trials: Trials | None = None  # one search at a time, whichever session is in front
        self.changed: tuple[Change, ...] = ()  # of the user's source, as long as it can be undone
        self._moved_keys = dict(keys or {})
        if plain or has_few_colours(os.environ):
            self.theme = "ansi-dark"

    def on_mount(self) -> None:
        self.set_keymap(self._moved_keys)
        if self.live is not None:
            self.push_screen(SessionScreen(self.live.output, live=self.live))
            return
        entries = sources.find(self.paths)
        if len(entries) == 1:
            self.open(entries[0].path)
        else:
            self.push_screen(SessionsScreen(self.paths))

    def open(self, path: Path) -> None:
        """Show the session at `path`; one that is still being written is followed."""
        live = None
        if sources.is_raw(path) and sources.is_running(path):
            from compilescope.tui.live import attach

            live = attach(path)
        self.push_screen(SessionScreen(path, live=live))

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """The palette: every key of the screen in front, by name."""
        place = _place(screen)
        for key in keys_of(place, live=_is_live(screen)):
            if key.id != "palette":
                call = _action(screen, key.action)
                yield SystemCommand(f"{key.text}", f"key {key.shown}", call)

    def action_palette(self) -> None:
        self.action_command_palette()

    def action_theme(self) -> None:
        self.search_themes()

    def action_help(self) -> None:
        self.push_screen(HelpScreen(_place(self.screen), live=_is_live(self.screen)))

    async def action_quit(self) -> None:
        """What Textual itself binds to ctrl+q."""
        self.action_leave()

    def action_leave(self) -> None:
        if self.live is not None and self.live.recorder is not None and self.live.is_running():
            from compilescope.tui.screens.leave import LeaveScreen

            self.push_screen(LeaveScreen(self.live))
        elif self.trials is not None and self.trials.tried.running:
            answers = {"s": "stop them and quit; what is known is kept", "esc": "stay here"}
            self.push_screen(
                Ask("trials are running", "", answers), lambda key: self.exit() if key else None
            )
        else:
            self.exit()

    def on_unmount(self) -> None:
        if self.trials is not None:
            self.trials.close()

    def run_editor(self, command: list[str]) -> None:
        """Give the terminal to an editor and take it back.

        Raises:
            OSError: there is no such editor.
        """
        try:
            with self.suspend():
                subprocess.run(command, check=False)  # noqa: S603  the user's own editor
        except SuspendNotSupported:
            subprocess.run(command, check=False)  # noqa: S603
        self.refresh(layout=True)

    def open_page(self, path: Path) -> bool:
        """Open a page in a browser; False where there is no screen for one."""
        if not _has_screen(os.environ):
            return False
        return webbrowser.open(path.absolute().as_uri())


def _place(screen: Screen[Any]) -> Place:
    return "sessions" if isinstance(screen, SessionsScreen) else "session"


def _is_live(screen: Screen[Any]) -> bool:
    return isinstance(screen, SessionScreen) and screen.live is not None


def _action(screen: Screen[Any], action: str) -> Any:
    async def call() -> None:
        await screen.run_action(action)

    return call


def _has_screen(variables: Mapping[str, str]) -> bool:
    if variables.get("SSH_CONNECTION"):
        return False
    return os.name == "nt" or any(
        variables.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "__CFBundleIdentifier")
    )
