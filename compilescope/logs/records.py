"""The records of a structured trace, one at a time, from a stream of bytes.

A record is a header line (`V1129 13:26:03.464000 PID file.py:12] {json}`) and the lines after it
that begin with a TAB, which are its payload. The stream is read in blocks and a payload that
nobody wants is dropped as it passes, so memory does not grow with the file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

BLOCK = 1 << 20
LARGEST = 64 << 20  # a wanted payload beyond this is dropped and said to be cut

_HEADER = re.compile(
    rb"(?:\[rank\d+\]:)?(?P<when>[VDIWEC]\d{4} \d\d:\d\d:\d\d\.\d+) +"
    rb"(?P<pid>\d{1,18}) [^\n]*?\] (?=\{)"
)
_RECORD = re.compile(rb"\n(?=[^\t])")
_KIND = re.compile(rb'\{ *"([^"\\]{1,200})" *:')
_BOM = b"\xef\xbb\xbf"


class Listener(Protocol):
    """Who reads the records."""

    def wanted(self, kind: bytes, json: bytes) -> bool:
        """Whether a record of this kind and header is to be given, with its payload."""

    def seen(self, kind: bytes) -> None:
        """Called once for each record, wanted or not."""

    def stray(self) -> None:
        """Called for each line that is neither header nor payload."""


class Record(NamedTuple):
    """One record; `json` is the header's object, `payload` has its TABs removed."""

    when: bytes  # b"V1129 13:26:03.464000"
    pid: int
    kind: bytes
    json: bytes
    payload: bytes
    dropped: bool = False  # the payload was too large to keep
    last: bool = False


def records(read: Callable[[int], bytes], listener: Listener) -> Iterator[Record]:
    """The records that `listener` wants; the others are passed over unparsed.

    `read` reads so many bytes and gives b"" at the end.
    """
    for data, start, end, dropped, last in _spans(read, listener):
        stop = data.find(b"\n", start, end)
        line = data[start : end if stop < 0 else stop]
        header = _HEADER.match(line)
        if header is None:
            if line.strip(b" \t\r\0"):
                header = _HEADER.search(line) if line[:1] == b"\0" else None
            else:
                continue
        kind = _KIND.match(line, header.end()) if header else None
        if header is None or kind is None:
            listener.stray()
            continue
        json = line[header.end() :]
        listener.seen(kind[1])
        if not listener.wanted(kind[1], json):
            continue
        payload = b"" if stop < 0 else data[stop + 2 : end].replace(b"\n\t", b"\n")
        yield Record(header["when"], int(header["pid"]), kind[1], json, payload, dropped, last)


def _spans(
    read: Callable[[int], bytes], listener: Listener
) -> Iterator[tuple[bytes, int, int, bool, bool]]:
    """Each record as (buffer, start, end, payload dropped, last)."""
    pending = b""
    dropped = False
    first = True
    while block := read(max(BLOCK, len(pending))):
        if first:
            block = block.removeprefix(_BOM)
            first = False
        data = pending + block
        start = 0
        # The last byte of `pending` may be the newline whose next byte has only come now.
        for match in _RECORD.finditer(data, max(0, len(pending) - 1)):
            yield data, start, match.start(), dropped, False
            start = match.end()
            dropped = False
        pending = data[start:]
        if len(pending) > BLOCK:
            pending, too_large = _without_payload(pending, listener)
            dropped = dropped or too_large
    if pending:
        yield pending, 0, len(pending) - pending.endswith(b"\n"), dropped, True


def _without_payload(pending: bytes, listener: Listener) -> tuple[bytes, bool]:
    """An unfinished record without its payload so far, where nobody wants it or it is too large."""
    stop = pending.find(b"\n")
    if stop < 0:  # a header line of megabytes
        return (pending, False) if len(pending) <= LARGEST else (pending[:BLOCK], True)
    header = _HEADER.match(pending, 0, stop)
    kind = _KIND.match(pending, header.end(), stop) if header else None
    keep = bool(header and kind and listener.wanted(kind[1], pending[header.end() : stop]))
    if keep and len(pending) <= LARGEST:
        return pending, False
    # A payload line stays behind, for the next bytes to continue.
    rest = b"\n" if pending.endswith(b"\n") else b""
    return pending[: stop + 1] + b"\t" + rest, keep
