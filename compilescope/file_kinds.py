"""The kinds of files that compilescope writes and reads back, and why a file is none of a kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec

from compilescope.errors import InputError, VersionError


@dataclass(frozen=True)
class FileKind:
    """A kind of file, in the words of the messages about it."""

    name: str  # "session"
    version: int  # the newest that this release reads
    again: str  # what to do about a file of a newer release
    hint: str  # what writes such a file
    no_json: str = ""  # a better hint for a file that holds no JSON at all

    def refusal(self, data: bytes, path: str, error: Exception) -> InputError:
        """The error to raise for `data`, the content of `path`, which `error` refused."""
        try:
            content: Any = msgspec.json.decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return InputError(
                f"{path} is not a {self.name}",
                cause="it is not JSON, or cut short",
                hint=self.no_json or self.hint,
            )
        version = content.get("version") if isinstance(content, dict) else None
        if isinstance(version, int) and version > self.version:
            return VersionError(
                f"cannot read {path}",
                cause=f"it has {self.name} version {version}, this release reads {self.version}",
                hint=f"upgrade compilescope, or {self.again}",
            )
        return InputError(f"{path} is not a {self.name}", cause=str(error), hint=self.hint)
