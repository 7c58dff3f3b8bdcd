"""The launcher's signals are the program's: it decides what they mean, and we outlive it."""

from __future__ import annotations

import os
import select
import signal
import socket
import threading
import time
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator


class Relay:
    """Hands signals on to the program, also those that came just before it started."""

    def __init__(self, stack: ExitStack, woken: socket.socket | None) -> None:
        self._stack = stack
        self._woken = woken
        self._program: subprocess.Popen[bytes] | None = None
        self._early: list[int] = []

    def begin(self, program: subprocess.Popen[bytes]) -> None:
        """Send to `program` what has come and what will come."""
        self._program = program
        if self._woken is not None:
            self.take(ignored=True)
        for number in self._early:
            self._forward(number, None)

    def take(self, *, ignored: bool) -> None:
        """Take the signals that are ignored here, or those that are not.

        A program starts with those ignored that we ignore, but may have handlers of its own.
        """
        handlers: dict[str, Any] = {
            "SIGINT": self._interrupted,
            **dict.fromkeys(("SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2"), self._forward),
            "SIGCHLD": self._ended,
        }
        for name, handler in handlers.items():
            number = getattr(signal, name, None)
            if number is not None and (signal.getsignal(number) is signal.SIG_IGN) is ignored:
                self._stack.callback(signal.signal, number, signal.signal(number, handler))

    def wait(self, program: subprocess.Popen[bytes], limit: float | None) -> int:
        """What `program.wait(limit)` gives and raises.

        A signal that comes just before the system's own wait is handled after it: when the
        program has ended. Here it ends the wait.
        """
        if self._woken is None:
            return program.wait(limit)
        deadline = None if limit is None else time.monotonic() + limit
        while (status := program.poll()) is None:
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                return program.wait(0)
            if select.select([self._woken], [], [], left)[0]:
                self._woken.recv(4096)
        return status

    def _forward(self, number: int, _frame: Any) -> None:
        if self._program is None:
            self._early.append(number)
            return
        with suppress(OSError):
            self._program.send_signal(number)

    def _interrupted(self, number: int, _frame: Any) -> None:
        # From a terminal the program has the Ctrl-C already: it is in the same group.
        if not _in_foreground():
            self._forward(number, None)

    def _ended(self, _number: int, _frame: Any) -> None:
        """Nothing to do: only a signal that has a handler ends the wait."""


@contextmanager
def handed_on() -> Iterator[Relay]:
    """Take signals in, for the program that the relay given here begins with."""
    if threading.current_thread() is not threading.main_thread():
        # Python hands signals to the main thread alone: it ends what its threads have started.
        yield Relay(ExitStack(), None)
        return
    with ExitStack() as stack:
        relay = Relay(stack, stack.enter_context(_woken()) if hasattr(signal, "SIGCHLD") else None)
        relay.take(ignored=False)
        yield relay


@contextmanager
def _woken() -> Iterator[socket.socket]:
    """A socket that can be read when a signal has come."""
    here, there = socket.socketpair()
    with here, there:
        there.setblocking(False)
        before = signal.set_wakeup_fd(there.fileno(), warn_on_full_buffer=False)
        try:
            yield here
        finally:
            signal.set_wakeup_fd(before)


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


@contextmanager
def ended_like_an_interrupt() -> Iterator[None]:
    """A request to end does what Ctrl-C does: children are ended, and what is known is kept."""

    def interrupt(_number: int, _frame: Any) -> None:
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
