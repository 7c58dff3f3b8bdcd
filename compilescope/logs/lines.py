"""One line of a text log: PyTorch's prefix, what other tools put in front of it, and the rest.

PyTorch's prefix has three forms, each also at the start of every line of a longer record:

    V1129 13:26:03.464000 18476 torch/_dynamo/guards.py:5396] [0/1] [__recompiles]     2.3 and later
    [2023-11-06 14:54:54,691] [0/0] torch._dynamo.guards.__recompiles: [DEBUG]         2.0 to 2.2
    DEBUG:torch._dynamo.guards.__recompiles:                        with TORCH_LOGS_FORMAT=short
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

import msgspec

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_QUOTE = re.compile(r"^(?: ?>)+ ?(?!>)")
_GLOG = re.compile(
    r"(?P<level>[VDIWEC])(?P<when>\d{4} \d\d:\d\d:\d\d\.\d+) +(?P<number>\d{1,20}) "
    r"(?P<file>[^\]\n]{1,400}?):(?P<line>\d{1,9})\](?: \[(?P<id>!?\d[\d/_]*)\])?"
    r"(?: \[__(?P<artifact>\w+)\])? ?(?P<text>.*)$"
)
_DATED = re.compile(
    r"\[(?P<when>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d+)\] (?:\[(?P<id>!?\d[\d/_]*)\] )?"
    r"(?P<file>torch[\w.]*?)(?:\.__(?P<artifact>\w+))?: \[(?P<level>[A-Z]+)\] ?(?P<text>.*)$"
)
_SHORT = re.compile(
    r"(?P<level>DEBUG|INFO|WARNING|ERROR|CRITICAL):(?P<file>torch[\w.]*?)(?:\.__(?P<artifact>\w+))?:"
    r"(?P<text>.*)$"
)
_LEVELS = {"DEBUG": "V", "INFO": "I", "WARNING": "W", "ERROR": "E", "CRITICAL": "C"}
_RANK = re.compile(r"\[(?:rank|default)(\d{1,6})\]: ?")
_TIME = re.compile(
    r"[\[(]?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?[\])]?[ \t]"
)
_NOT_THE_STREAM = re.compile(
    _TIME.pattern
    + r"|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d |(?:stdout|stderr) [FP] |"
    + _RANK.pattern
)
_FRONTS = re.compile(
    r"""(?:
        \[(?:rank|default)\d{1,6}\]:\ ?
      | """
    + _TIME.pattern
    + r"""
      | [A-Z][a-z]{2}\ [ \d]\d\ \d\d:\d\d:\d\d\ \S+\ [\w.@/-]+(?:\[\d+\])?:\ ?   # syslog
      | (?:stdout|stderr)\ [FP]\                                    # a container runtime's own log
      | \[(?:pod|container)/[^\]]+\]\                               # kubectl logs --prefix
      | [\w.-]+\s+\|\                                               # docker compose
      | \(\w[^()\n]*\bpid=\d+[^()\n]*\)\ ?                          # Ray
    )""",
    re.VERBOSE,
)
_WIDEST_FRONT = 400


class _DockerEntry(msgspec.Struct):
    log: str


@dataclass(frozen=True)
class Prefix:
    """Who wrote a line: what PyTorch's log formatter says."""

    form: str  # "glog", "dated" or "short"
    level: str  # "V", "I", "W", "E", "C"
    when: str
    number: int | None  # process id, or thread id before 2.5
    file: str
    line: int | None
    compile_id: str
    artifact: str


@dataclass(frozen=True)
class Line:
    """A line without colours, prefixes and line end."""

    text: str
    prefix: Prefix | None = None
    stream: str = ""  # which of several logs in one: what other tools put in front, but for times
    rank: int | None = None


def read_line(raw: bytes | str) -> Line:
    """Take `raw` apart."""
    text = raw if isinstance(raw, str) else raw.decode("utf-8", "replace")
    text = text.rstrip("\r\n").lstrip("\ufeff")
    if text.startswith('{"log":'):
        text = _docker(text)
    if "\x1b" in text:
        text = _ESCAPES.sub("", text)
    if text[:2].lstrip()[:1] == ">":
        text = _QUOTE.sub("", text)
    text = text.rpartition("\r")[2]  # what a progress bar drew before
    match = _GLOG.match(text)
    if match:
        return Line(match["text"], _glog(match))
    return _behind_fronts(text)


def _docker(text: str) -> str:
    """The line in an entry of Docker's own log files."""
    try:
        return msgspec.json.decode(text, type=_DockerEntry).log.rstrip("\r\n")
    except msgspec.DecodeError:
        return text


def _behind_fronts(text: str) -> Line:
    """The line of a log that another tool wrote down."""
    found = _GLOG.search(text, 0, len(text)) if "] " in text or text.endswith("]") else None
    if found and found.start() <= _WIDEST_FRONT:
        front = text[: found.start()]
        return Line(found["text"], _glog(found), _stream(front), _rank(front))
    position = 0
    while True:
        dated = _DATED.match(text, position)
        if dated:
            front = text[:position]
            return Line(dated["text"], _other("dated", dated), _stream(front), _rank(front))
        front_match = _FRONTS.match(text, position)
        if not front_match or position > _WIDEST_FRONT:
            break
        position = front_match.end()
    front = text[:position]
    short = _SHORT.match(text, position)
    if short:
        return Line(short["text"], _other("short", short), _stream(front), _rank(front))
    return Line(text[position:], None, _stream(front), _rank(front))


def _glog(match: re.Match[str]) -> Prefix:
    return _glog_prefix(
        match["level"],
        match["when"],
        match["number"],
        match["file"],
        match["line"],
        match["id"],
        match["artifact"],
    )


@lru_cache(maxsize=256)  # the lines of a record share theirs
def _glog_prefix(
    level: str,
    when: str,
    number: str,
    file: str,
    line: str,
    compile_id: str | None,
    artifact: str | None,
) -> Prefix:
    return Prefix(
        form="glog",
        level="V" if level == "D" else level,
        when=level + when,
        number=int(number),
        file=file.replace("\\", "/"),
        line=int(line),
        compile_id=without_attempt(compile_id or ""),
        artifact=artifact or "",
    )


def _other(form: str, match: re.Match[str]) -> Prefix:
    groups = match.groupdict()
    return Prefix(
        form=form,
        level=_LEVELS.get(match["level"], "V"),
        when=groups.get("when") or "",
        number=None,
        file=match["file"],
        line=None,
        compile_id=without_attempt(groups.get("id") or ""),
        artifact=match["artifact"] or "",
    )


def without_attempt(compile_id: str) -> str:
    """`0/1` for `0/1_2`, the third attempt at the same compile."""
    return compile_id.partition("_")[0]


def _stream(front: str) -> str:
    known = "".join(match[0] for match in _FRONTS.finditer(front))
    return _NOT_THE_STREAM.sub("", known).strip()


def _rank(front: str) -> int | None:
    found = _RANK.search(front)
    return int(found[1]) if found else None
