"""What a GPU would compile a kernel for, of kernels that Triton's interpreter runs in Python."""

from __future__ import annotations

import functools
import importlib
import inspect
import sys
import time
from typing import TYPE_CHECKING, Any

from .triton_source import launch, value_as_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from .record import Record

_MOST_KERNELS = 5_000
_NAMES = {
    "float64": "fp64",
    "float32": "fp32",
    "float16": "fp16",
    "bfloat16": "bf16",
    "int64": "i64",
    "int32": "i32",
    "int16": "i16",
    "int8": "i8",
    "uint8": "u8",
    "bool": "i1",
}


def on_triton(module: ModuleType, record: Record) -> None:
    """Listen to launches where the program runs its kernels in Python; Triton 3.6 and newer."""
    knobs: Any = getattr(module, "knobs", None)
    if knobs is None or not knobs.runtime.interpret:
        return
    interpreter: Any = importlib.import_module(f"{module.__name__}.runtime.interpreter")
    interpreted = interpreter.InterpretedFunction
    run = vars(interpreted).get("run")
    if run is None:  # older versions make one for each kernel
        return
    seen: set[str] = set()

    @functools.wraps(run)
    def noted(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not _traced():
            try:
                _note(record, seen, self, args, kwargs)
            except Exception as error:  # noqa: BLE001
                record.trouble("interpreted kernel", error)
        return run(self, *args, **kwargs)

    # Where the compiler follows a launch, ours is a line of Triton's, as the one it stands for.
    stand_in: Any = noted
    place = run.__code__
    stand_in.__code__ = stand_in.__code__.replace(
        co_filename=place.co_filename, co_firstlineno=place.co_firstlineno, co_name=place.co_name
    )
    interpreted.run = stand_in


def _traced() -> bool:
    """Whether the compiler follows this launch, and not Python."""
    compiler: Any = getattr(sys.modules.get("torch"), "compiler", None)
    return compiler is not None and bool(compiler.is_compiling())


def _note(
    record: Record, seen: set[str], function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    names = function.arg_names
    own = {name: value for name, value in kwargs.items() if name in names}
    options = {
        name: str(value)[:120]
        for name, value in kwargs.items()
        if name not in names and name not in ("grid", "warmup")
    }
    bound = inspect.signature(function.fn).bind(*args, **own)
    bound.apply_defaults()
    constants = [name for name in names if _is_constexpr(function.fn.__annotations__.get(name))]
    entries: list[dict[str, Any]] = []
    for number, (name, value) in enumerate(bound.arguments.items()):
        if name in constants:
            entries.append({"name": name, "type": "constexpr", "value": value_as_text(value)})
        else:
            free = _named(function, "do_not_specialize", number, name)
            unaligned = _named(function, "do_not_specialize_on_alignment", number, name)
            entries += _entries(name, value, free=free, aligned=not unaligned)
    code = function.fn.__code__
    key = repr((code.co_filename, code.co_firstlineno, entries, options))
    if key in seen or len(seen) >= _MOST_KERNELS:
        return
    seen.add(key)
    record.note(
        "kernel",
        at=time.time(),
        interpreted=True,
        name=code.co_name,
        arguments=entries,
        options=options,
        path=code.co_filename,
        line=code.co_firstlineno,
        function=code.co_name,
        constexprs=constants,
        **launch(),
    )


def _is_constexpr(annotation: Any) -> bool:
    name = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
    return str(name).strip("'\"").rpartition(".")[2] == "constexpr"


def _named(function: Any, option: str, number: int, name: str) -> bool:
    listed = function.kwargs.get(option) or ()
    return name in listed or number in listed


def _entries(name: str, value: Any, *, free: bool, aligned: bool) -> Iterator[dict[str, Any]]:
    """What Triton makes of an ordinary argument; of a tuple, of each element."""
    if isinstance(value, tuple):
        for number, inner in enumerate(value):
            # Triton looks at elements whatever is said of the tuple.
            yield from _entries(f"{name}[{number}]", inner, free=False, aligned=True)
    elif value is None:
        yield {"name": name, "type": "constexpr", "value": "None"}
    elif isinstance(value, bool):
        yield {"name": name, "type": "u1"}
    elif isinstance(value, int):
        yield _integer(name, value, free=free, aligned=aligned)
    elif isinstance(value, float):
        yield {"name": name, "type": "fp32"}
    elif hasattr(value, "data_ptr") and hasattr(value, "dtype"):
        dtype = str(value.dtype).rpartition(".")[2]
        entry: dict[str, Any] = {"name": name, "type": f"*{_NAMES.get(dtype, dtype)}"}
        if aligned and not free and value.data_ptr() % 16 == 0:
            entry["divisible"] = True
        yield entry
    else:
        yield {"name": name, "type": type(value).__name__}


def _integer(name: str, value: int, *, free: bool, aligned: bool) -> dict[str, Any]:
    if value == 1 and not free:
        return {"name": name, "type": "constexpr", "value": "1"}
    narrow = -(2**31) <= value < 2**31
    entry: dict[str, Any] = {
        "name": name,
        "type": "i32" if narrow else ("i64" if value < 2**63 else "u64"),
    }
    if value % 16 == 0 and aligned and not free:
        entry["divisible"] = True
    return entry
