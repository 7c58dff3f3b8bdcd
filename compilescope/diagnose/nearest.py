"""Which cached graph came closest to serving a call, and everything that kept it from doing so.

PyTorch prints the first failing guard of each cache entry. The guards of the entry and what the
call brought are in the session, so the guards over tensors, sizes, constants, classes and members
are checked again here, and the entry with the fewest failures is the nearest.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from msgspec.structs import replace

from compilescope.diagnose.explain_words import as_written
from compilescope.diagnose.guard_checks import (
    Check,
    MemberCheck,
    Relation,
    SameCheck,
    TensorCheck,
    TypeCheck,
    ValueCheck,
    checks_of,
)
from compilescope.diagnose.relations import holds
from compilescope.logs.guards import parse_reason
from compilescope.model import Compiled, GuardFailure, Input


class Difference(NamedTuple):
    """One guard of a cache entry that a call does not meet."""

    source: str  # as the guard writes it; "" for a relation
    aspect: str  # "size 0", "stride 1", "rank", "dtype", "value", "type", "guard", ...
    required: str
    observed: str

    def failure(self, entry: str) -> GuardFailure:
        """The failure as PyTorch would have printed it, had no other guard failed first."""
        found = _parsed(self._text())
        observed = self.observed or found.observed
        return replace(found, entry=entry, observed=observed)

    def _text(self) -> str:
        aspect, _, index = self.aspect.partition(" ")
        expected = f"expected {self.required}, actual {self.observed}"
        if aspect == "guard":
            return self.required
        if aspect == "value":
            none = self.required == "None"
            return f"{self.source} {'is' if none else '=='} {self.required}"
        if aspect == "class":
            found = f"but found <class '{self.observed}'>"
            return f"expected type of '{self.source}' to be a tensor type, ' {found}"
        if aspect == "type":
            return f"___check_type_id({self.source}, 0), type=<class '{self.required}'>"
        if index:
            return f"tensor '{self.source}' {aspect} mismatch at index {index}. {expected}"
        if aspect == "requires_grad":
            flag = int(self.required == "True")
            return f"tensor '{self.source}' requires_grad mismatch. expected requires_grad={flag}"
        return f"tensor '{self.source}' {aspect} mismatch. {expected}"


@lru_cache(maxsize=4096)
def _parsed(text: str) -> GuardFailure:
    return parse_reason(text)


class Inputs:
    """What a call brought: tensors, plain values, classes and members, by source."""

    def __init__(
        self,
        inputs: Iterable[Input],
        constants: Mapping[str, str] | None = None,
        compiled: Compiled | None = None,
    ) -> None:
        """Take the facts together.

        Args:
            inputs: Tensors and values that were seen.
            constants: Plain values by source.
            compiled: The compile that the call led to; its guards are facts about the call.
        """
        self.tensors: dict[str, Input] = {}
        self.constants: dict[str, str] = {}
        self.types: dict[str, str] = {}
        self.members: dict[str, bool] = {}
        self._made: set[Check] = set()
        self._failing: set[Check] = set()
        self._missed: dict[Check, list[Difference]] = {}
        for check in checks_of(compiled.guards) if compiled else ():
            self._learn(check)
        self.constants |= {as_written(key): value for key, value in (constants or {}).items()}
        for item in inputs:
            if item.shape is not None:
                self.tensors[as_written(item.source)] = item
            elif item.value:
                # A call without a signature of its own has that of an earlier one.
                self.constants.setdefault(as_written(item.source), item.value)

    def __bool__(self) -> bool:
        return bool(self.tensors or self.constants or self.types or self.members)

    def _learn(self, check: Check) -> None:
        match check:
            case TensorCheck(key=key, sizes=sizes) if None not in sizes:
                self.tensors[key] = Input(
                    key,
                    shape=tuple(size for size in sizes if size is not None),
                    dtype=check.dtype,
                    requires_grad=check.requires_grad == "True",
                )
            case ValueCheck(key=key, value=value):
                self.constants[key] = value
            case TypeCheck(key=key, type=name):
                self.types[key] = name
            case MemberCheck(member=member, there=there):
                self.members[member] = there

    def missed_of(self, compiled: Compiled) -> list[Difference]:
        """How the call misses the checks of `compiled`, in their order.

        The graphs of a function share most checks, so each is made once for the call.
        """
        checks, order = _order(compiled.guards)
        for check in checks - self._made:
            self._made.add(check)
            found = _missed(check, self)
            if found:
                self._failing.add(check)
                self._missed[check] = found
        failing = sorted(checks & self._failing, key=order.__getitem__)
        return [item for check in failing for item in self._missed[check]]


@lru_cache(maxsize=4096)
def _order(guards: tuple[str, ...]) -> tuple[frozenset[Check], dict[Check, int]]:
    order = {check: number for number, check in enumerate(checks_of(guards))}
    return frozenset(order), order


def differences(entry: Compiled, call: Inputs) -> list[Difference]:
    """Every guard of `entry` that can be checked and that `call` misses, in guard order."""
    found = call.missed_of(entry)
    return list(dict.fromkeys(found)) if len(found) > 1 else found


def constants_of(compiled: Compiled) -> dict[str, str]:
    """The plain values that `compiled` was specialised for, by source, from its guards."""
    return {
        check.key: check.value
        for check in checks_of(compiled.guards)
        if isinstance(check, ValueCheck)
    }


def is_constant(compiled: Compiled, source: str, dimension: int | None) -> bool | None:
    """Whether `compiled` holds the value or size as a constant again; None where unknown."""
    key = as_written(source)
    open_number = None
    for check in checks_of(compiled.guards):
        match check:
            case ValueCheck(key=same) if same == key and dimension is None:
                return True
            case TypeCheck(key=same, type="int" | "float") if same == key and dimension is None:
                open_number = False  # unless the code asked for its value all the same
            case TensorCheck(key=same, sizes=sizes) if same == key and dimension is not None:
                return sizes[dimension] is not None if dimension < len(sizes) else None
    return open_number


def size_of(source: str, dimension: int | None, call: Inputs) -> str:
    """The size of that dimension in the call, "" where it is not known."""
    tensor = call.tensors.get(as_written(source))
    if tensor is None or tensor.shape is None or dimension is None:
        return ""
    return str(tensor.shape[dimension]) if dimension < len(tensor.shape) else ""


def _missed(check: Check, call: Inputs) -> list[Difference]:
    match check:
        case TensorCheck():
            return _tensor(check, call)
        case ValueCheck():
            return _value_of(check, call)
        case TypeCheck():
            return _type(check, call)
        case MemberCheck(text=text, member=member, there=there):
            opposite = call.members.get(member, there) is not there
            return [Difference("", "guard", text, "")] if opposite else []
        case SameCheck(text=text, keys=keys):
            shapes = {tensor.shape for key in keys if (tensor := call.tensors.get(key))}
            return [Difference("", "guard", text, "")] if len(shapes) > 1 else []
        case Relation(text=text, tree=tree):
            return (
                [Difference("", "guard", text, "")]
                if holds(tree, call.tensors, call.constants) is False
                else []
            )


def _tensor(check: TensorCheck, call: Inputs) -> list[Difference]:
    source, tensor = check.source, call.tensors.get(check.key)
    if tensor is None:
        none = call.constants.get(check.key) == "None"
        return [Difference(source, "class", "a tensor", "NoneType")] if none else []
    found = []
    if tensor.dtype and tensor.dtype != check.dtype:
        found.append(Difference(source, "dtype", check.dtype, tensor.dtype))
    grad = str(tensor.requires_grad)
    if grad != check.requires_grad:
        found.append(Difference(source, "requires_grad", check.requires_grad, grad))
    if tensor.shape is not None and len(check.sizes) != len(tensor.shape):
        found.append(Difference(source, "rank", str(len(check.sizes)), str(len(tensor.shape))))
        return found
    sizes = _each(source, "size", check.sizes, tensor.shape)
    found.extend(sizes)
    if not sizes or not (
        _is_standard(check.sizes, check.strides) and _is_standard(tensor.shape, tensor.stride)
    ):
        found.extend(_each(source, "stride", check.strides, tensor.stride))
    return found


def _is_standard(shape: Sequence[int | None] | None, stride: Sequence[int | None] | None) -> bool:
    """Whether the strides are those of a contiguous tensor, as far as they are known."""
    expected: int | None = 1
    for size, step in zip(reversed(shape or ()), reversed(stride or ()), strict=False):
        if size != 1 and None not in (step, expected) and step != expected:
            return False
        expected = expected * size if expected is not None and size is not None else None
    return True


def _each(
    source: str,
    aspect: str,
    required: tuple[int | None, ...],
    observed: tuple[int, ...] | None,
) -> list[Difference]:
    if observed is None or required == observed or len(required) != len(observed):
        return []
    return [
        Difference(source, f"{aspect} {index}", str(want), str(have))
        for index, (want, have) in enumerate(zip(required, observed, strict=True))
        if want is not None and want != have
    ]


def _value_of(check: ValueCheck, call: Inputs) -> list[Difference]:
    observed = call.constants.get(check.key, "")
    if not observed and check.key in call.tensors:
        observed = "a tensor"
    elif not observed and check.value == "None" and (named := call.types.get(check.key)):
        observed = named.rpartition(".")[2]
    if not observed or _equal(observed, check.value):
        return []
    return [Difference(check.source, "value", check.value, observed)]


@lru_cache(maxsize=4096)
def _equal(one: str, other: str) -> bool:
    if one == other:
        return True
    if one.isdigit() and other.isdigit():
        return False
    try:
        first, second = ast.literal_eval(one), ast.literal_eval(other)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return False
    return bool(first == second and type(first) is type(second))


def _type(check: TypeCheck, call: Inputs) -> list[Difference]:
    observed = call.types.get(check.key, "")
    if not observed and call.constants.get(check.key) == "None":
        observed = "NoneType"
    if not observed or observed == check.type:
        return []
    return [Difference(check.source, "type", check.type, observed)]
