"""Lines of a text log put together to records: one message each, as PyTorch logged it.

Several processes may write into one log, and the lines of their records may alternate. A record
has PyTorch's prefix on every line, on the first only, or (an empty format, a paste) on none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from compilescope.logs.lines import Line, Prefix, read_line

MOST_LINES = 20_000  # of one record: a guard tree has thousands
RECOMPILE, BREAK, LIMIT, TRACEBACK, WARNING, PLAIN = (
    "recompile",
    "break",
    "limit",
    "traceback",
    "warning",
    "plain",
)
_HEADS = tuple(
    (re.compile(pattern), kind)
    for pattern, kind in (
        (r"\(?['\"]?Recompiling function .+ in ", RECOMPILE),
        (r"Graph break(?: \([^)]*\))? in user code at |Unsupported break in user code at ", BREAK),
        (r"Graph break: |Graph break from `", BREAK),
        (r"torch\._dynamo hit config\.\w+ \(", LIMIT),
        (r"WON'T CONVERT ", TRACEBACK),
        (r"Error while creating guard:", TRACEBACK),
        (r"(?:[A-Z]\w+ +)?Traceback \(most recent call last\):?", TRACEBACK),
        (r"\S.*?:\d+: (?:\w+\.)*\w*Warning: ", WARNING),
        (r"(?:skipping|disabling) cudagraphs?(?: for backward)? due to ", PLAIN),
        (r"cudagraph partition due to |CUDAGraph supports dynamic shapes by recording", PLAIN),
        (r"\('Grad tensors \[", PLAIN),
    )
)
_NO_HEAD = {"", " ", "|", "+", "\t"}  # no record begins so, and most lines do
_MOST_OF_BREAK, _MOST_OF_WARNING = 400, 12  # lines of a record without prefixes
# Why a CUDA graph moved, a line an input; the graph that a hint is about.
_MOVED_INPUT = "input name: "
_GOES_ON = re.compile(rf"{_MOVED_INPUT}|\.$|graph\(")
_PARTITIONED = re.compile(r"\s+\w+: reason=")
_STACK_OF_PARTITIONED = " " * 8
_SINGLE = {"cudagraphs", "perf_hints"}  # artifacts whose lines are records unless indented
_INDENTED = re.compile(r"\s+\S")
_FIELD = re.compile(
    r"(?:Graph Break )?Reason:|Explanation:|Hint:|Developer debug context:|User code traceback:"
    r"|\*\*\* While handling|Stack variable source|For more details|NOTE: the most recent|====="
    r"|The graph break occurred|torch\.compile will skip|Most recent bytecode|Higher Order Op"
)
_LIMIT_LINE = re.compile(
    r"\s+(?:function|last reason|reasons):|\s*[Tt]o (?:log|diagnose) |User stack"
)
_FACT = re.compile(r"(PyTorch version|Python version|CUDA used to build PyTorch): (\d[\w.+-]*)")
_FACTS = {
    "PyTorch version": "torch",
    "Python version": "python",
    "CUDA used to build PyTorch": "cuda",
}
_CHAINED = re.compile(
    r"(?:The above exception was the direct cause|During handling of the above exception)"
)
_ENDS_ERROR = re.compile(r"Set TORCHDYNAMO_VERBOSE=1 |You can suppress this exception")


@dataclass
class Record:
    """One message of the log."""

    kind: str
    lines: list[str]
    prefix: Prefix | None
    stream: str
    rank: int | None
    number: int  # of its first line in the file
    repeated: bool = False  # more than one line carried the prefix
    cut: bool = False  # its beginning is missing
    phase: str = ""  # how far a record without prefixes was read
    tracebacks: int = 0

    @property
    def text(self) -> str:
        """The message, without prefixes."""
        return "\n".join(self.lines)

    @property
    def artifact(self) -> str:
        """The part of PyTorch's logs that it belongs to."""
        return self.prefix.artifact if self.prefix else ""


@dataclass
class Assembler:
    """Puts the lines of one log together."""

    ignored: int = 0  # lines that are not PyTorch's
    total: int = 0
    facts: dict[str, str] = field(default_factory=dict)  # of the environment, where pasted along
    _open: dict[tuple[str, int | None, int | None], Record] = field(default_factory=dict)
    _latest: dict[tuple[str, int | None], tuple[str, int | None, int | None]] = field(
        default_factory=dict
    )

    def records(self, lines: Iterable[bytes | str]) -> Iterator[Record]:
        """The records, each when it has ended."""
        for raw in lines:
            self.total += 1
            line = read_line(raw)
            if line.prefix is None:
                yield from self._bare(line)
            elif "torch" in line.prefix.file:
                yield from self._prefixed(line, line.prefix)
            else:
                self.ignored += 1  # other libraries log in the same form
        yield from sorted(self._open.values(), key=lambda record: record.number)
        self._open.clear()

    def _prefixed(self, line: Line, prefix: Prefix) -> Iterator[Record]:
        key = (line.stream, line.rank, prefix.number)
        current = self._open.get(key)
        kind = head_of(line.text)
        if current and _continues(current, line.text, prefix, kind):
            _add(current, line.text)
            current.repeated = True
        else:
            if current:
                yield current
            record = _begin(line, prefix, kind, self.total)
            self._open[key] = record
        self._latest[line.stream, line.rank] = key

    def _bare(self, line: Line) -> Iterator[Record]:
        key = self._latest.get((line.stream, line.rank), (line.stream, line.rank, None))
        current = self._open.get(key)
        kind = head_of(line.text)
        if current and _accepts(current, line.text, kind):
            _add(current, line.text)
            return
        if not kind:
            self.ignored += 1
            if fact := _FACT.match(line.text):
                self.facts.setdefault(_FACTS[fact[1]], fact[2])
            return
        key = (line.stream, line.rank, None)
        if previous := self._open.get(key):
            yield previous
        self._open[key] = _begin(line, None, kind, self.total)
        self._latest[line.stream, line.rank] = key


def head_of(text: str) -> str:
    """The kind of record that begins with `text`, "" where none does."""
    if text[:1] in _NO_HEAD:
        return ""
    for pattern, kind in _HEADS:
        if pattern.match(text):
            return kind
    return ""


def _begin(line: Line, prefix: Prefix | None, kind: str, number: int) -> Record:
    cut = False
    if not kind and prefix:
        artifact = prefix.artifact
        if artifact in ("recompiles", "recompiles_verbose"):
            kind, cut = RECOMPILE, True
        elif artifact == "graph_breaks":
            kind, cut = BREAK, True
        else:
            kind = PLAIN
    record = Record(kind, [], prefix, line.stream, line.rank, number, cut=cut)
    _add(record, line.text)
    return record


def _add(record: Record, text: str) -> None:
    if len(record.lines) < MOST_LINES:
        record.lines.append(text)
    if record.kind == TRACEBACK and text and not text[0].isspace():
        record.phase = _phase_of_traceback(record, text)
    elif record.kind == BREAK:
        if text.strip() == "User code traceback:":
            record.phase = "stack"
        elif "For more details about this graph break" in text:
            record.phase = "told"
        elif text.startswith(("Traceback (", "*** While handling")):
            record.phase = ""
    elif record.kind == WARNING and len(record.lines) > 1 and _INDENTED.match(text):
        record.phase = "ended"  # the source line that Python prints below a warning


def _phase_of_traceback(record: Record, text: str) -> str:
    if "Traceback (most recent" in text:
        record.tracebacks += 1
        return "frames"
    if _CHAINED.match(text):
        return "chained"
    if _ENDS_ERROR.match(text):
        return "ended"
    return "message" if record.phase == "frames" else record.phase


def _continues(record: Record, text: str, prefix: Prefix, kind: str) -> bool:
    """Whether a line with a prefix goes on with the record."""
    before = record.prefix
    if before and before.file == prefix.file and _PARTITIONED.match(record.lines[0]):
        # Each line of the stack below it is logged on its own, from another line of the source.
        return before.compile_id == prefix.compile_id and text.startswith(_STACK_OF_PARTITIONED)
    if before is None or (before.artifact, before.level, before.compile_id, before.line) != (
        prefix.artifact,
        prefix.level,
        prefix.compile_id,
        prefix.line,
    ):
        return False
    if before.form != "glog":
        return prefix.artifact not in _SINGLE and _accepts(record, text, kind)
    if before.when != prefix.when:
        return False
    if record.kind == TRACEBACK and kind == TRACEBACK:
        return text.startswith("Traceback (")
    if record.kind == BREAK and kind in (BREAK, TRACEBACK):
        return _break_goes_on(record, text, kind)
    if kind and kind != WARNING:
        return False
    if prefix.artifact not in _SINGLE:
        return True
    return _INDENTED.match(text) is not None or _GOES_ON.match(text) is not None


def _accepts(record: Record, text: str, kind: str) -> bool:
    """Whether a line goes on with a record of which only the first line has a prefix, or none."""
    if record.repeated and record.prefix and record.prefix.form == "glog":
        return False
    if record.kind == TRACEBACK:
        return _traceback_goes_on(record, text, kind)
    if record.kind == BREAK:
        return _break_goes_on(record, text, kind)
    if kind:
        return False
    if record.kind == WARNING:
        return len(record.lines) < _MOST_OF_WARNING and record.phase != "ended"
    if record.kind == PLAIN and record.prefix and record.prefix.form == "glog":
        return False
    if record.kind == LIMIT and _LIMIT_LINE.match(text):
        return True
    if record.kind == PLAIN and text.startswith(_MOVED_INPUT):
        return True
    return not text.strip() or _INDENTED.match(text) is not None


def _break_goes_on(record: Record, text: str, kind: str) -> bool:
    if kind == TRACEBACK and text.startswith("Traceback ("):
        return record.lines[0].startswith("Graph break: ")
    if kind == BREAK and text.startswith("Graph break: from user"):
        return record.lines[0].startswith("Graph break from `")
    if kind:
        return False
    if not text.strip() or _FIELD.match(text.strip()) or _INDENTED.match(text):
        return True
    return record.phase == "" and len(record.lines) < _MOST_OF_BREAK


def _traceback_goes_on(record: Record, text: str, kind: str) -> bool:
    if record.phase == "ended":
        return not text.strip() or _CHAINED.match(text) is not None
    if kind == TRACEBACK:
        return record.phase == "chained" or record.tracebacks == 0
    return not kind
