"""Changes to the arguments of a compiled call, by the path that the session's signatures use."""

from __future__ import annotations

import copy
import re
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from .overlay_functions import module_at
from .overlay_modes import Holder
from .overlay_padding import cut_of, padded

if TYPE_CHECKING:
    from collections.abc import Callable

    from .inputs import Names
    from .overlay import Overlay
    from .overlay_padding import Cut

    Change = Callable[[Any, dict[str, Any]], Any]

_STEP = re.compile(r"\.(?P<name>\w+)|\[(?P<index>-?\d+)\]|\[(?P<key>'[^']*'|\"[^\"]*\")\]")
MARKS = ("mark_dynamic", "maybe_mark_dynamic", "mark_unbacked", "mark_static")


class Changes:
    """What the overlay does to the calls of one callable."""

    def __init__(
        self, overlay: Overlay, name: str, names: Names | None, receiver: Any, function: Any
    ) -> None:
        self.name = name
        self.names = names
        self.receiver = receiver
        self.function = function
        self.cuts: list[Cut] = []  # of the last call's results
        # A block that is compiled in place of its model, whose own calls are looked at.
        self.is_part = False
        self._record = overlay.record
        self.modes = Holder(
            [entry for entry in overlay.modes if entry.get("callable", "") in ("", name)],
            overlay.record,
        )
        self._arguments = [
            (split(entry["path"]), entry)
            for entry in overlay.arguments
            if entry.get("callable", "") in ("", name)
        ]
        # A changed argument is another tensor: what is marked must be that one.
        self._arguments.sort(key=lambda pair: pair[1]["do"] in MARKS)
        self._attributes = [
            (split(entry["path"]), entry)
            for entry in overlay.attributes
            if entry.get("callable", "") in ("", name)
        ]

    def apply(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], *, first: bool = False
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments as the overlay wants them, of the first call or of another."""
        self.cuts = []
        for steps, entry in self._attributes:
            self._attribute(steps, entry, args, kwargs)
        if not self._arguments or self.names is None:
            return args, kwargs
        values: list[Any] = list(args)
        named = dict(kwargs)
        for path, entry in self._arguments:
            place, steps = self._place(path, args, kwargs)
            if place is None or (entry.get("calls") == "first" and not first):
                continue
            holder: Any = values if isinstance(place, int) else named
            try:
                before = holder[place]
                holder[place] = replaced(before, steps, entry)
                if entry["do"] == "pad":
                    after = walk(holder[place], steps)
                    self.cuts += cut_of(walk(before, steps), after, entry)
                self._record.applied(f"{entry['do']} {entry['path']}")
            except LookupError:
                self._record.absent(f"{entry['do']} {entry['path']}")
            except Exception as error:  # noqa: BLE001
                what = f"{entry['do']} {entry['path']}"
                self._record.refused(what, f"{type(error).__name__}: {error}")
        return tuple(values), named

    def _place(
        self, steps: list[Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[Any, list[Any]]:
        """Where the call brings what `steps` begin with, None for nowhere; the steps from there."""
        assert self.names is not None
        head, first = steps[0], steps[1] if len(steps) > 1 else None
        if head in kwargs:
            return head, steps[1:]
        if head in self.names.positional[: len(args)]:
            return self.names.positional.index(head), steps[1:]
        if head == self.names.keywords and first in kwargs:
            return first, steps[2:]
        place = len(self.names.positional) + first if type(first) is int else len(args)
        if head == self.names.variadic and place < len(args):
            return place, steps[2:]
        return None, []

    def _attribute(
        self, steps: list[Any], entry: dict[str, Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        try:
            if entry.get("module"):
                module = module_at(entry["module"])
                _hold(vars(module), steps[-1], entry)
            else:
                root = self._root(steps[0], args, kwargs)
                owner = walk(root, steps[1:-1])
                for one in _family(root, owner):
                    _hold(one if isinstance(one, (dict, list)) else vars(one), steps[-1], entry)
            self._record.applied(f"{entry['do']} {entry['path']}")
        except Exception as error:  # noqa: BLE001
            what = f"{entry['do']} {entry['path']}"
            self._record.refused(what, f"{type(error).__name__}: {error}")

    def _root(self, name: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if name == "self" and self.receiver is not None:
            return self.receiver
        if self.names is not None:
            for known, value in self.names.of(args, kwargs):
                if known == name:
                    return value
            if name == self.names.keywords:
                return kwargs
        raise LookupError(f"no argument is called {name}")


def split(path: str) -> list[Any]:
    """`rows[0].x['k']` as ["rows", 0, "x", "k"]; an attribute is its name, marked as such."""
    head = re.match(r"\w+", path)
    if head is None:
        raise ValueError(f"not a path: {path}")
    steps: list[Any] = [head.group()]
    position = head.end()
    while position < len(path):
        found = _STEP.match(path, position)
        if found is None:
            raise ValueError(f"not a path: {path}")
        if found["name"] is not None:
            steps.append(Attribute(found["name"]))
        elif found["index"] is not None:
            steps.append(int(found["index"]))
        else:
            steps.append(found["key"][1:-1])
        position = found.end()
    return steps


class Attribute(str):
    """A step of a path that is an attribute, where a plain string is a key."""

    __slots__ = ()


def walk(value: Any, steps: list[Any]) -> Any:
    """What `steps` lead to from `value`."""
    for step in steps:
        value = getattr(value, step) if isinstance(step, Attribute) else value[step]
    return value


def replaced(value: Any, steps: list[Any], entry: dict[str, Any]) -> Any:
    """`value` with the part that `steps` lead to changed; containers on the way are copied."""
    if not steps:
        return change(value, entry)
    step = steps[0]
    part = getattr(value, step) if isinstance(step, Attribute) else value[step]
    new = replaced(part, steps[1:], entry)
    if new is part:
        return value
    if isinstance(value, tuple):
        if isinstance(step, Attribute):
            return value._replace(**{step: new})  # type: ignore[attr-defined]
        parts = [*value[:step], new, *value[step + 1 :]]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    shell = copy.copy(value)
    if isinstance(step, Attribute):
        setattr(shell, step, new)
    else:
        shell[step] = new
    return shell


def change(value: Any, entry: dict[str, Any]) -> Any:
    """`value` with the one change that `entry` asks for; itself where it needs none."""
    torch: Any = sys.modules["torch"]
    do = entry["do"]
    if do in MARKS:
        if isinstance(value, torch.Tensor):
            _mark(torch, value, entry)
        return value
    if do == "tensor":
        return _as_tensor(torch, value, entry)
    if do == "float":
        return float(value) if type(value) is int else value
    if do == "int":
        return int(value) if isinstance(value, int) else value
    if do == "str":
        return str(value) if isinstance(value, str) else value
    if do == "plain":
        kinds: tuple[type, ...] = (dict, list)
        return next((kind(value) for kind in kinds if isinstance(value, kind)), value)
    if do == "dict":
        return dict(value) if type(value) is dict else value
    if do in ("list", "tuple"):
        kind = list if do == "list" else tuple
        return kind(value) if isinstance(value, (list, tuple)) else value
    return _tensor_change(torch, value, entry) if isinstance(value, torch.Tensor) else value


def _tensor_change(torch: Any, value: Any, entry: dict[str, Any]) -> Any:  # noqa: C901  a table of changes
    do = entry["do"]
    if do == "contiguous":
        return value.contiguous()
    if do == "clone":
        return value.clone(memory_format=torch.contiguous_format)
    if do == "channels_last":
        return value.contiguous(memory_format=torch.channels_last) if value.dim() == 4 else value
    if do == "detach":
        return value.detach()
    if do == "resolve":
        return value.resolve_conj().resolve_neg()
    if do == "dense":
        return value.to_dense() if value.layout is not torch.strided else value
    if do == "plain_tensor":
        return value if type(value) is torch.Tensor else value.as_subclass(torch.Tensor)
    if do == "dtype":
        return value.to(getattr(torch, entry["to"]))
    if do == "device":
        return value.to(entry["to"])
    if do == "pad":
        return padded(value, entry)
    raise ValueError(f"unknown change {do}")


def _mark(torch: Any, value: Any, entry: dict[str, Any]) -> None:
    dynamo: Any = sys.modules["torch._dynamo"]
    do, dimension = entry["do"], entry["dimension"]
    if dimension >= value.dim():
        return
    mark = getattr(dynamo, do, None) or getattr(dynamo.decorators, do, None)
    if mark is None:
        raise LookupError(f"torch {torch.__version__} has no {do}")
    bounds = {key: entry[key] for key in ("min", "max") if entry.get(key) is not None}
    mark(value, dimension, **bounds)


def _as_tensor(torch: Any, value: Any, entry: dict[str, Any]) -> Any:
    if type(value) not in (int, float, bool, complex):
        return value
    dtype = getattr(torch, entry["to"]) if entry.get("to") else None
    return torch.tensor(value, dtype=dtype)


def _family(root: Any, owner: Any) -> list[Any]:
    """`owner`, and the modules of its class below `root`: they count and scale alike."""
    torch: Any = sys.modules["torch"]
    if isinstance(root, torch.nn.Module) and isinstance(owner, torch.nn.Module):
        return [one for one in root.modules() if type(one) is type(owner)]
    return [owner]


def _hold(holder: Any, key: Any, entry: dict[str, Any]) -> None:
    with suppress(KeyError, IndexError):
        old = holder[key]
        new = change(old, entry)
        if new is not old:
            holder[key] = new
