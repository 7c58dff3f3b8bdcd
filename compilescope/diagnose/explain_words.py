"""The words an explanation is made of: sources as the user wrote them, values, calls."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from compilescope.paths import is_library, may_be_torch

if TYPE_CHECKING:
    from collections.abc import Iterable

    from compilescope.diagnose.evidence import Evidence
    from compilescope.model import GuardFailure, Input

RESUME = re.compile(r"torch_dynamo_resume_in_(?P<function>.+)_at_(?P<line>\d+)$")
_STACK = re.compile(r"^_{2,3}stack(?P<slot>\d+)")
_ITEM = re.compile(r"\[-?\d+\]$")
_SLOT = re.compile(r"_{2,3}stack\d+")
_LOCAL = re.compile(r"\bL\[(['\"])(\w+)\1\]")
_GLOBAL = re.compile(r"\bG\[(['\"])(\w+)\1\]")
_MEMBERS = re.compile(r"\._(?:modules|parameters|buffers)\[(['\"])(\w+)\1\]")
_NUMPY = re.compile(r"___from_numpy\((.*)\)")
_COMMENT = re.compile(r"\s{2,}#.*|\s+#\s\s?.*:\d+ in .*", re.DOTALL)
_HINT_NAME = re.compile(r'guard on "(\w+)"')
_NAME = re.compile(r"^[A-Za-z_][\w.]*(?:\[(?:\d+|'[^']*'|\"[^\"]*\")\][\w.]*)*$")
_PROPERTY = re.compile(r"^(?:size|dtype|rank|stride|len|device) (?=\S)")
_ARGUMENT = re.compile(r"^args\[(\d+)\]$")
_ORDINALS = ("the first", "the second", "the third", "the fourth")
_ADDRESS = re.compile(r"\b\d{9,}\b|0x[0-9a-f]{6,}")

_DTYPES = {
    "Float": "float32",
    "Double": "float64",
    "Half": "float16",
    "BFloat16": "bfloat16",
    "Long": "int64",
    "Int": "int32",
    "Short": "int16",
    "Char": "int8",
    "Byte": "uint8",
    "Bool": "bool",
    "ComplexFloat": "complex64",
    "ComplexDouble": "complex128",
    "ComplexHalf": "complex32",
    "Float8_e4m3fn": "float8_e4m3fn",
    "Float8_e5m2": "float8_e5m2",
}


@lru_cache(maxsize=65536)
def as_written(source: str) -> str:
    """`source` without the notation of the guards: `self.layers[0].w`, not `self._modules[…]…`."""
    text = _NUMPY.sub(r"\1", source)
    text = _GLOBAL.sub(r"\2", _LOCAL.sub(r"\2", text))
    return _MEMBERS.sub(lambda m: f"[{m[2]}]" if m[2].isdigit() else f".{m[2]}", text)


def dtype(name: str) -> str:
    """`name` as `torch` spells it: `Half` is float16."""
    bare = name.strip().removeprefix("torch.")
    return _DTYPES.get(bare, bare)


def code(text: str) -> str:
    """`text` in backticks, on one line and not too long to read."""
    flat = " ".join(text.split()).replace("`", "'")
    return f"`{flat if len(flat) <= 80 else flat[:77] + '…'}`"


def an(name: str) -> str:
    """`name` in backticks, with its article."""
    return f"{'an' if name[:1].lower() in 'aeio' else 'a'} {code(name)}"


def across_break(text: str, line: int | None) -> str:
    """`text` with a name that says what it is for each value that lay on the stack at a break."""
    slots = list(dict.fromkeys(_SLOT.findall(text)))
    name = f"value_from_line_{line}" if line else "value_before_the_break"
    several = len(slots) > 1
    return _SLOT.sub(lambda m: f"{name}_{slots.index(m[0]) + 1}" if several else name, text)


def listed(items: Iterable[str], limit: int = 5) -> str:
    """`items` as an English list, shortened where there are many."""
    every = list(items)
    if len(every) > limit:
        return ", ".join(every[:limit]) + f" and {len(every) - limit} more"
    if len(every) < 2:
        return "".join(every)
    return ", ".join(every[:-1]) + " and " + every[-1]


def bare(value: str) -> str:
    """`value` without the name of the property it is of: "size 3" is "3"."""
    return _PROPERTY.sub("", value.strip())


def without_address(text: str) -> str:
    """`text` without memory addresses, or "" where it was nothing else."""
    return "" if _ADDRESS.search(text) else text


def expression(failure: GuardFailure) -> str:
    """The condition that failed, as Python over shapes: `2 <= x.shape[0]`."""
    raw = failure.raw or failure.required
    text = _COMMENT.sub("", raw.strip().splitlines()[0] if raw.strip() else "").strip()
    text = re.sub(r"\.size\(\)\[(\d+)\]", r".shape[\1]", as_written(text))
    text = re.sub(r"\.stride\(\)\[(\d+)\]", r".stride(\1)", text)
    text = re.sub(r"torch\._sym_sqrt\(torch\.sym_float\((.+?\])\)\)", r"math.sqrt(\1)", text)
    return text.replace("(-1)*", "-")


@dataclass(frozen=True)
class Words:
    """The parts of speech for one piece of evidence; an unknown one is ""."""

    evidence: Evidence

    @property
    def failure(self) -> GuardFailure:
        """The failure that is explained."""
        return self.evidence.failure

    @property
    def source(self) -> str:
        """The source in the user's own notation."""
        return as_written(self.failure.source)

    @property
    def function(self) -> str:
        """The user's function, also where a continuation of it recompiled."""
        if self.evidence.wrapped:
            return ""
        name = self.evidence.function.function
        found = RESUME.search(name)
        return found["function"] if found else name

    @property
    def resumed_at(self) -> int | None:
        """The line of the graph break after which the recompiled part begins."""
        frame = self.failure.frame
        for name in (self.evidence.function.function, frame.function if frame else ""):
            if found := RESUME.search(name):
                return int(found["line"])
        return None

    @property
    def crosses_break(self) -> bool:
        """Whether the source is a value that lay on the stack at a graph break."""
        return bool(_STACK.match(self.failure.source))

    @property
    def name(self) -> str:
        """The source as a noun in a sentence."""
        if self.crosses_break:
            line, function = self.resumed_at, self.function
            at = f" at line {line}" if line else ""
            return f"a value that crosses the graph break{at}" + (
                f" of `{function}`" if function else ""
            )
        if self.evidence.foreign and (found := _ARGUMENT.match(self.source)):
            place = _ORDINALS[int(found[1])] if int(found[1]) < len(_ORDINALS) else "another"
            return f"{place} positional argument"
        named = _HINT_NAME.search(self.failure.hint + self.failure.raw)
        if named and "__closure__" in self.failure.source + self.failure.raw:
            return f"the captured variable `{named[1]}`"
        return code(self.source) if self.source else ""

    @property
    def variable(self) -> str:
        """The source where it can be written in code, else ""."""
        if self.evidence.foreign and _ARGUMENT.match(self.source):
            return ""
        if self.crosses_break or not _NAME.match(self.source) or "__" in self.source:
            return ""
        return self.source

    @property
    def target(self) -> str:
        """The source where it can be assigned to, else ""; an item may be that of a tuple."""
        return "" if _ITEM.search(self.variable) else self.variable

    @property
    def another_model(self) -> bool:
        """Whether it was the first call of a callable that runs the code of an earlier one."""
        if self.evidence.another:
            return self.evidence.calls[:1] == (0,)
        return bool(self.evidence.instances) and self.evidence.calls == (0,)

    @property
    def call(self) -> str:
        """The first call that recompiled, as a noun."""
        calls, instances = self.evidence.calls, self.evidence.instances
        if self.another_model:
            named = {*instances} or {self.evidence.another}
            return f"the first call of another {code(*named) if len(named) == 1 else 'callable'}"
        return f"call {calls[0]}" if calls and not instances else "a later call"

    @property
    def required(self) -> str:
        """What the graph demands, as a bare value."""
        return bare(self.failure.required)

    @property
    def observed(self) -> str:
        """What the call brought, from the log or from the next value that was seen."""
        if self.failure.observed:
            return bare(self.failure.observed)
        values = self.evidence.values
        if len(values) > 1 and bare(values[0]) == self.required:
            return bare(values[1])
        return ""

    @property
    def repeated(self) -> bool:
        """Whether this cause came back with more than two values, and the last was fixed too."""
        return len(self.evidence.values) > 2 and self.evidence.constant is not False

    @property
    def asked_dynamic(self) -> bool:
        """Whether the function was compiled with `dynamic=True`."""
        return self.evidence.options.get("dynamic", "").lower() == "true"

    @property
    def is_mapping(self) -> bool:
        """Whether the source is known to be a dict, by the inputs or the user's line."""
        if self.evidence.mapping is not None:
            return self.evidence.mapping
        name = re.escape(self.source)
        frame = self.failure.frame
        sources = [one.source for one in (*self.evidence.before, *self.evidence.after)]
        shown = rf"^{name}\[['\"]"
        used = rf"\b{name}(?:\[['\"]|\.(?:items|keys|values|get|setdefault)\()"
        return bool(self.source) and (
            any(re.match(shown, as_written(source)) for source in sources)
            or bool(re.search(used, frame.code if frame else ""))
        )

    @property
    def line(self) -> str:
        """The user's line that made the guard, "" where it is not known."""
        return self.failure.frame.code if self.failure.frame else ""

    @property
    def own_line(self) -> bool:
        """Whether that line is in the user's code and not in a library."""
        path = self.failure.frame.path if self.failure.frame else ""
        return not (is_library(path) or may_be_torch(path))

    @property
    def is_method(self) -> bool:
        """Whether the function is a method, by what it reads."""
        inputs = (*self.evidence.before, *self.evidence.after)
        sources = [self.source, *(item.source for item in inputs)]
        return any(source.partition(".")[0] == "self" for source in sources)

    def items(self) -> list[Input]:
        """The tensors that the container held when the nearest graph was compiled."""
        shown = re.compile(rf"{re.escape(self.source)}\[\d+\]$")
        return [one for one in self.evidence.before if shown.match(as_written(one.source))]

    def before(self) -> Input | None:
        """The tensor that the nearest graph was compiled for, if known."""
        return self._input(self.evidence.before)

    def after(self) -> Input | None:
        """The tensor that the call brought, if known."""
        return self._input(self.evidence.after)

    def _input(self, inputs: tuple[Input, ...]) -> Input | None:
        for one in inputs:
            if as_written(one.source) == self.source and self.source:
                return one
        return None

    def size(self, number: str) -> str:
        """`number` with its unit: "8 rows", "1 column", "size 8 in dimension 2"."""
        dimension = self.failure.dimension
        rank = self._rank()
        unit = {(2, 0): "row", (2, 1): "column", (1, 0): "element"}.get((rank, dimension or 0))
        if dimension is None:
            return f"size {number}"
        if unit:
            return f"{number} {unit}" + ("" if number == "1" else "s")
        return f"size {number} in dimension {dimension}"

    def _rank(self) -> int:
        for one in (self.before(), self.after()):
            if one and one.shape is not None:
                return len(one.shape)
        return 0
