"""Errors that a user can act on: a message, a cause, a hint and an exit code.

CompilescopeError            exit 2
├── UsageError               an option, name or rule that does not exist, or cannot be combined
├── InputError               a file that is missing, unreadable, or not what it was taken for
│   └── VersionError         a file from another version of compilescope
└── ProgramError             the program to be probed could not be started
"""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """What compilescope's own exit code says; `probe` passes the program's code through."""

    CLEAN = 0
    FINDINGS = 1
    ERROR = 2
    INTERRUPTED = 130


class CompilescopeError(Exception):
    """A mistake or obstacle that is the user's to resolve; printed without a traceback."""

    def __init__(self, message: str, *, cause: str = "", hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.cause = cause
        self.hint = hint

    def __str__(self) -> str:
        lines = [f"error: {self.message}"]
        if self.cause:
            lines.append(f"cause: {self.cause}")
        if self.hint:
            lines.append(f"hint: {self.hint}")
        return "\n".join(lines)


class UsageError(CompilescopeError):
    """A wrong option, name or combination."""


class InputError(CompilescopeError):
    """A file that cannot be read as what it was given for."""


class VersionError(InputError):
    """A file that another version of compilescope wrote."""


class ProgramError(CompilescopeError):
    """The program to be probed could not be started."""
