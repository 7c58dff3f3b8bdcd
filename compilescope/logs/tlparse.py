"""The `raw.jsonl` of a tlparse report, turned back into the structured trace it was made from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from compilescope.logs.trace_files import Damaged, opened

BEGINNING = b'{"string_table"'
_ADDED = {"timestamp", "thread", "pathname", "lineno", "payload_filename"}
_CONTEXT = {
    "rank",
    "frame_id",
    "frame_compile_id",
    "attempt",
    "compiled_autograd_id",
    "subgraph_name",
    "has_payload",
}
_LARGEST_PAYLOAD = 64 << 20


def is_tlparse(head: bytes) -> bool:
    """Whether a file that begins with `head` is a tlparse `raw.jsonl`."""
    return head.startswith(BEGINNING)


def trace_lines(path: Path) -> Iterator[bytes]:
    """The records as PyTorch wrote them; a payload is read from beside `path` if it is there.

    Raises:
        InputError: the file is missing or cannot be read.
    """
    with opened(path) as read:
        data = bytearray()
        try:
            while chunk := read(1 << 20):
                data += chunk
        except Damaged:
            pass
    for line in bytes(data).split(b"\n"):
        try:
            item = msgspec.json.decode(line)
        except msgspec.DecodeError:
            continue
        if isinstance(item, dict):
            yield from _strings(item) if "string_table" in item else _record(item, path.parent)


def _strings(item: dict[str, Any]) -> Iterator[bytes]:
    table = item["string_table"]
    for number, text in enumerate(table if isinstance(table, list) else ()):
        yield _line({}, {"str": [text, number]})


def _record(item: dict[str, Any], folder: Path) -> Iterator[bytes]:
    kinds = {key: value for key, value in item.items() if key not in _ADDED | _CONTEXT}
    context = {key: value for key, value in item.items() if key in _CONTEXT}
    yield _line(item, kinds | context)
    name = item.get("payload_filename")
    if isinstance(name, str) and (payload := _payload(folder, name)):
        yield b"".join(b"\t" + line + b"\n" for line in payload.rstrip(b"\n").split(b"\n"))


def _line(item: dict[str, Any], header: dict[str, Any]) -> bytes:
    when = str(item.get("timestamp", "0000-01-01T00:00:00.000000Z"))
    place = f"{str(item.get('pathname', 'torch')).strip()}:{item.get('lineno', 1)}"
    stamp = f"V{when[5:7]}{when[8:10]} {when[11:26]} {item.get('thread', 0)} {place}] "
    return stamp.encode() + msgspec.json.encode(header) + b"\n"


def _payload(folder: Path, name: str) -> bytes:
    path = (folder / name).resolve()
    try:
        if not path.is_relative_to(folder.resolve()) or path.stat().st_size > _LARGEST_PAYLOAD:
            return b""
        return path.read_bytes()
    except (OSError, ValueError):
        return b""
