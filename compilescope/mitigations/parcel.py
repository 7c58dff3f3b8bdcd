"""A model or its inputs as bytes for a worker process, with few or none of the values.

What is compiled depends on sizes and types, not on weights. So parameters go as a description, and
the worker makes its own, which no result ever depends on.
"""

from __future__ import annotations

import io
import pickle
from typing import Any

import torch

_SMALL = 1 << 16  # bytes up to which a buffer keeps its values: tables that code may look into


class ParcelError(Exception):
    """Something that cannot be sent to another process."""


def pack(value: Any, *, values: bool = False) -> bytes:
    """`value` as bytes.

    Args:
        value: A module or inputs.
        values: Whether all tensors keep their values, else only small buffers do.

    Raises:
        ParcelError: a part of it cannot be pickled.
    """
    packed = io.BytesIO()
    try:
        _Packer(packed, values=values).dump(value)
    except Exception as error:
        # Pickle raises what it likes: PicklingError, AttributeError, TypeError, RuntimeError.
        raise ParcelError(f"{type(error).__name__}: {error}") from error
    return packed.getvalue()


def unpack(packed: bytes) -> Any:
    """What `pack` was given, on the same devices; descriptions become zeros."""
    return _Unpacker(io.BytesIO(packed)).load()


class _Packer(pickle.Pickler):
    def __init__(self, file: io.BytesIO, *, values: bool) -> None:
        super().__init__(file, protocol=5)
        self._values = values
        self._numbers: dict[int, int] = {}
        self._kept: list[Any] = []  # so that no identity is given out twice

    def persistent_id(self, value: Any) -> Any:
        if not isinstance(value, torch.Tensor):
            return None
        if type(value) not in (torch.Tensor, torch.nn.Parameter) or value.layout != torch.strided:
            raise pickle.PicklingError(f"a tensor of the type {type(value).__name__}")
        if id(value) in self._numbers:
            return (self._numbers[id(value)],)
        self._kept.append(value)
        number = self._numbers[id(value)] = len(self._numbers)
        parameter = isinstance(value, torch.nn.Parameter)
        size = value.numel() * value.element_size()
        return (
            number,
            parameter,
            tuple(value.shape),
            value.stride(),
            value.dtype,
            str(value.device),
            value.requires_grad,
            value.is_inference(),
            _bytes(value) if self._values or (not parameter and size <= _SMALL) else None,
        )


class _Unpacker(pickle.Unpickler):
    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file)
        self._made: dict[int, torch.Tensor] = {}

    def persistent_load(self, found: Any) -> torch.Tensor:
        if len(found) > 1:
            self._made[found[0]] = _tensor(*found[1:])
        return self._made[found[0]]


def _bytes(value: torch.Tensor) -> bytes:
    plain = value.detach().cpu().contiguous()
    return bytes(plain.flatten().view(torch.uint8).numpy()) if plain.numel() else b""


def _tensor(  # noqa: PLR0913  as persistent_id lists them
    parameter: bool,
    shape: tuple[int, ...],
    stride: tuple[int, ...],
    dtype: torch.dtype,
    device: str,
    requires_grad: bool,
    inference: bool,
    content: bytes | None,
) -> torch.Tensor:
    with torch.inference_mode(inference), torch.no_grad():
        # No view of anything: Dynamo also guards the base of a view.
        made = torch.empty_strided(shape, stride, dtype=dtype, device=device)
        made.zero_()
        if content:
            plain = torch.frombuffer(bytearray(content), dtype=dtype).reshape(shape)
            # A size with stride 0 holds one value many times, and can be written to but once.
            once = tuple(slice(0, 1) if step == 0 else slice(None) for step in stride)
            made[once].copy_(plain[once])
    if parameter:
        return torch.nn.Parameter(made, requires_grad)
    return made.requires_grad_(requires_grad)
