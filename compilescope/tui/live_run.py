"""`probe --tui`: a program is recorded and watched, and the terminal told what became of it."""

from __future__ import annotations

import sys
from pathlib import Path

from compilescope.errors import ExitCode
from compilescope.tui.app import Scope
from compilescope.tui.live import Live, start
from compilescope.tui.settings import moved_keys
from compilescope.tui.terminal import require
from compilescope.tui.views.words import short


def watch(
    command: tuple[str, ...],
    name: str,
    *,
    output: Path | None = None,
    keep_raw: Path | None = None,
    options: tuple[str, ...] = (),
) -> int:
    """Record `command` and show it while it runs; the program's exit code, 0 if it goes on.

    Args:
        command: What to run, as `probe` itself takes it.
        name: Of the program, for the session's file.
        output: Where the session goes.
        keep_raw: Where the raw record stays.
        options: Others that `probe` is to have.

    Raises:
        UsageError: there is no terminal.
        ProgramError: the recorder cannot be started.
    """
    require("--tui", "without it the program runs as ever")
    keys = moved_keys()
    live = start(command, name, output=output, keep_raw=keep_raw, options=options)
    Scope(live=live, keys=keys).run()
    code = live.wait()
    print(_told(live, code), file=sys.stderr)
    return ExitCode.CLEAN if code is None else code


def _told(live: Live, code: int | None) -> str:
    lines = [f"  compilescope tui {short(str(live.output))}"]
    if code is None and live.recorder is not None:
        lines.insert(0, f"compilescope: the program goes on (pid {live.recorder.pid}); later:")
    else:
        lines.insert(0, f"compilescope: the program ended with code {code}")
    if live.log is not None:
        lines.append(f"  its output: {short(str(live.log))}")
    return "\n".join(lines)
