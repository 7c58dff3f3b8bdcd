"""The launcher's signals are the program's: it decides what they mean, and we outlive it."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Iterator

_FORWARDED = ("SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2")


class _Relay:
    """Hands signals on to the program, also those that came just before it started."""

    def __init__(self) -> None:
        self._program: subprocess.Popen[bytes] | None = None
        self._early: list[int] = []

    def begin(self, program: subprocess.Popen[bytes]) -> None:
        self._program = program
        for number in self._early:
            self.forward(number, None)

    def forward(self, number: int, _frame: Any) -> None:
        if self._program is None:
            self._early.append(number)
            return
        with suppress(OSError):
            self._program.send_signal(number)

    def interrupted(self, number: int, _frame: Any) -> None:
        # From a terminal the program has the Ctrl-C already: it is in the same group.
        if not _in_foreground():
            self.forward(number, None)


@contextmanager
def handed_on() -> Iterator[Callable[[subprocess.Popen[bytes]], None]]:
    """Take signals in; they go to the program that the function given here is called with."""
    relay = _Relay()
    if threading.current_thread() is not threading.main_thread():
        # Python hands signals to the main thread alone: it ends what its threads have started.
        yield relay.begin
        return
    handlers: dict[int, Any] = {signal.SIGINT: relay.interrupted}
    for name in _FORWARDED:
        if hasattr(signal, name):
            handlers[getattr(signal, name)] = relay.forward
    before = {
        number: signal.signal(number, handler)
        for number, handler in handlers.items()
        if signal.getsignal(number) is not signal.SIG_IGN
    }
    try:
        yield relay.begin
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _in_foreground() -> bool:
    try:
        descriptor = os.open("/dev/tty", os.O_RDONLY)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(descriptor) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(descriptor)
