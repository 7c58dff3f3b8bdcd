"""The inputs of a call: a cheap key to notice a change, and the full description of it.

Nothing here runs code of the program: no `repr` of its objects, no `__torch_function__`, no
iteration that a subclass could have overridden.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Key = tuple[Any, ...]

_PLAIN = (bool, int, str, bytes, complex, type(None))
_DEEPEST = 5
_MOST_LEAVES = 256
_LONGEST = 120


def reader() -> tuple[Callable[[tuple[Any, ...], dict[str, Any]], Key], type[Any]]:
    """`key(args, kwargs)`, bound to the torch of this process, and its tensor class."""
    torch: Any = sys.modules["torch"]
    tensor: type[Any] = torch.Tensor
    whole = (tensor, torch.nn.Parameter)
    plain = frozenset(_PLAIN)
    modes: Any = getattr(torch._C, "_len_torch_function_stack", lambda: 1)  # noqa: SLF001
    untouched: Any = torch._C.DisableTorchFunction  # noqa: SLF001

    def key(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Key:
        if modes():
            with untouched():
                return read(args, kwargs)
        return read(args, kwargs)

    def read(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Key:
        parts: list[Any] = []
        values: Any = args
        if kwargs:
            parts.append(tuple(kwargs))
            values = (*args, *kwargs.values())
        for value in values:
            kind = type(value)
            if kind in whole:
                try:
                    parts.append(
                        (
                            value.shape,
                            value.stride(),
                            value.dtype,
                            value.device,
                            value.requires_grad,
                        )
                    )
                except Exception:  # noqa: BLE001  sparse tensors have no strides
                    parts.append(_tensor_key(value, untouched))
            elif kind in plain:
                parts.append((kind, value))
            else:
                left = [_MOST_LEAVES]
                parts.append(_nested_key(value, kind, tensor, untouched, left, 0))
        return tuple(parts)

    return key, tensor


def guard(args: tuple[Any, ...], kwargs: dict[str, Any], earlier: Any) -> tuple[int, Any]:
    """Torch's own check that tensors are as `args` are, with their number; -1 where it has none.

    It compares class, dtype, device, sizes, strides and `requires_grad`, in one step. `earlier` is
    what was given before for arguments of this key: where that one refuses them still, as it does
    for one tensor given twice, another would too.
    """
    torch: Any = sys.modules["torch"]
    whole = (torch.Tensor, torch.nn.Parameter)
    if earlier is not None or kwargs or not args or any(type(value) not in whole for value in args):
        return -1, earlier
    try:
        guards = torch._C._dynamo.guards.TensorGuards(  # noqa: SLF001
            *args, dynamic_dims_sizes=None, dynamic_dims_strides=None
        )
        return (len(args) if guards.check(*args) else -1), guards
    except Exception:  # noqa: BLE001  sparse tensors, another torch: the key is compared
        return -1, False


def _nested_key(
    value: Any, kind: type[Any], tensor: type[Any], untouched: Any, left: list[int], depth: int
) -> Any:
    left[0] -= 1
    if issubclass(kind, tensor):
        return _tensor_key(value, untouched)
    if kind in _PLAIN:
        return (kind, value)
    if kind is float:
        return (kind, value) if value == value else (kind, "nan")  # noqa: PLR0124
    members = _members(value, kind)
    if members is None or depth >= _DEEPEST:
        return (kind.__module__, kind.__qualname__)
    parts: list[Any] = [kind.__qualname__]
    for path, member in members:
        if left[0] <= 0:
            break
        inner = _nested_key(member, type(member), tensor, untouched, left, depth + 1)
        parts.append((path, inner))
    return tuple(parts)


def _members(value: Any, kind: type[Any]) -> Iterator[tuple[str, Any]] | None:
    """The parts of a container with the path that leads to each, None for other objects."""
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return (
            (f".{name}", part)
            for name, part in zip(kind._fields, tuple.__iter__(value), strict=False)
        )
    if issubclass(kind, tuple):
        return ((f"[{index}]", part) for index, part in enumerate(tuple.__iter__(value)))
    if issubclass(kind, list):
        return ((f"[{index}]", part) for index, part in enumerate(list.__iter__(value)))
    if issubclass(kind, dict):
        return ((f"[{_name(name)}]", part) for name, part in dict.items(value))
    attributes = getattr(value, "__dict__", None) if _holds_data(kind) else None
    if isinstance(attributes, dict):
        return ((f".{name}", part) for name, part in list(attributes.items()))
    return None


def _holds_data(kind: type[Any]) -> bool:
    return "__dataclass_fields__" in kind.__dict__ or any(
        base.__module__ == "collections" and base.__name__ == "UserDict" for base in kind.__mro__
    )


def _name(name: Any) -> str:
    return repr(name)[:_LONGEST] if type(name) in _PLAIN else type(name).__name__


def _tensor_key(value: Any, untouched: Any) -> Any:
    kind = type(value)
    with untouched():
        try:
            stride = tuple(value.stride())
        except Exception:  # noqa: BLE001
            stride = None
        try:
            parts = (
                kind.__qualname__,
                tuple(_size(size) for size in value.shape),
                stride if stride is None else tuple(_size(step) for step in stride),
                value.dtype,
                value.device,
                value.requires_grad,
            )
        except Exception:  # noqa: BLE001
            return (kind.__qualname__,)
        return parts


def _size(size: Any) -> int | str:
    return size if type(size) is int else str(size)


class Names:
    """The names that a function gives to its arguments."""

    def __init__(self, code: Any, *, skip_first: bool) -> None:
        names = list(code.co_varnames)
        positional = code.co_argcount
        self.positional: list[str] = names[:positional][1 if skip_first else 0 :]
        keyword_only = names[positional : positional + code.co_kwonlyargcount]
        self.known = {*self.positional, *keyword_only}
        rest = positional + code.co_kwonlyargcount
        self.variadic = names[rest] if code.co_flags & 4 else "args"
        rest += 1 if code.co_flags & 4 else 0
        self.keywords = names[rest] if code.co_flags & 8 else "kwargs"

    def of(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[tuple[str, Any]]:
        """Every argument with the name that the function knows it by."""
        for index, value in enumerate(args):
            if index < len(self.positional):
                yield self.positional[index], value
            else:
                yield f"{self.variadic}[{index - len(self.positional)}]", value
        for name, value in kwargs.items():
            yield (name if name in self.known else f"{self.keywords}[{name!r}]"), value


def describe(
    names: Names, args: tuple[Any, ...], kwargs: dict[str, Any], tensor: type[Any]
) -> tuple[list[dict[str, Any]], bool]:
    """The inputs as plain values, and whether some were left out because there are so many."""
    untouched: Any = sys.modules["torch"]._C.DisableTorchFunction  # noqa: SLF001
    found: list[dict[str, Any]] = []
    with untouched():
        for name, value in names.of(args, kwargs):
            _describe(name, value, tensor, found, 0)
            if len(found) > _MOST_LEAVES:
                break
    return found[:_MOST_LEAVES], len(found) > _MOST_LEAVES


def _describe(
    path: str, value: Any, tensor: type[Any], found: list[dict[str, Any]], depth: int
) -> None:
    kind = type(value)
    if len(found) > _MOST_LEAVES:
        return
    if issubclass(kind, tensor):
        found.append({"source": path, **_tensor(value)})
        return
    if kind in _PLAIN or kind is float:
        found.append({"source": path, "type": kind.__name__, "value": _cut(value)})
        return
    members = _members(value, kind) if depth < _DEEPEST else None
    if members is None:
        found.append({"source": path, "type": kind.__qualname__})
        return
    before = len(found)
    for suffix, part in members:
        _describe(path + suffix, part, tensor, found, depth + 1)
    if len(found) == before:
        found.append({"source": path, "type": kind.__qualname__, "value": "empty"})


def _tensor(value: Any) -> dict[str, Any]:
    fields: dict[str, Any] = {"type": type(value).__qualname__}
    with suppress(Exception):  # a symbolic size has no number
        fields["shape"] = [int(size) for size in value.shape]
    with suppress(Exception):  # a sparse tensor has no strides
        fields["stride"] = [int(step) for step in value.stride()]
    with suppress(Exception):
        fields["dtype"] = str(value.dtype)
        fields["device"] = str(value.device)
        fields["requires_grad"] = bool(value.requires_grad)
    return fields


def _cut(value: Any) -> str:
    if isinstance(value, (str, bytes)) and len(value) > _LONGEST:
        return repr(value[:_LONGEST]) + "…"
    if type(value) is int and value.bit_length() > 400:
        return f"an int of {value.bit_length()} bits"
    return repr(value)
