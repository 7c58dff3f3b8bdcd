"""The things that the program gave to torch.compile, each under one number."""

from __future__ import annotations

import inspect
import sys
import weakref
from typing import TYPE_CHECKING, Any

from .inputs import Names

if TYPE_CHECKING:
    from .record import Record

_MOST_OPTIONS = 20
_MOST_VARIABLES = 200


class Limit:
    """The recompile limit of one code, which its callables share."""

    __slots__ = ("reached",)

    def __init__(self) -> None:
        self.reached = False


class Target:
    """One compiled callable, with what must be remembered between its calls."""

    __slots__ = (
        "arity", "check", "count", "eager_keys", "guards", "key", "limit", "names", "number",
        "signature",
    )  # fmt: skip

    def __init__(self, number: int, names: Names | None, limit: Limit) -> None:
        self.number = number
        self.names = names
        self.count = 0
        self.key: Any = None
        self.arity = -1
        self.guards: Any = None  # torch's own check of tensors against those of `key`
        self.check: Any = None
        self.signature = -1
        self.limit = limit
        self.eager_keys: set[Any] = set()


class Callables:
    """Finds the target of a call; functions are one target however often they are compiled."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._functions: dict[Any, Target] = {}
        self._modules: dict[int, tuple[Any, dict[Any, Target]]] = {}
        self._limits: dict[Any, Limit] = {}
        self._count = 0

    def target(self, function: Any, context: Any) -> Target:
        """The target that `function`, compiled by `context`, stands for."""
        options = _options(context)
        module = module_of(function)
        inner = module.forward if module is not None else written(function)
        code = code_of(inner)
        key = (
            getattr(inner, "__qualname__", type(inner).__qualname__),
            getattr(code, "co_filename", ""),
            getattr(code, "co_firstlineno", 0),
            tuple(options.items()),
        )
        family = self._functions if module is None else self._family(module)
        found = family.get(key)
        if found is None:
            names = Names(code, skip_first=hasattr(inner, "__self__")) if code else None
            found = family[key] = Target(
                self._count, names, self._limits.setdefault(key[:3], Limit())
            )
            self._count += 1
            self._note(found, key, module, options, code)
        return found

    def _family(self, module: Any) -> dict[Any, Target]:
        held = self._modules.get(id(module))
        if held is None or held[0]() is not module:
            held = self._modules[id(module)] = (weakref.ref(module), {})
        return held[1]

    def _note(
        self, target: Target, key: Any, module: Any, options: dict[str, str], code: Any
    ) -> None:
        name = key[0] if module is None else type(module).__qualname__
        self._record.note(
            "callable",
            id=target.number,
            name=name,
            kind="function" if module is None else "module",
            path=key[1],
            line=key[2],
            function=getattr(code, "co_name", "") if code else "",
            options=options,
            variables=_variables(code) if code else [],
        )


def _variables(code: Any) -> list[str]:
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    arguments = set(code.co_varnames[:count])
    names = [*code.co_varnames[count:], *code.co_cellvars]
    return [name for name in names if name not in arguments][:_MOST_VARIABLES]


def module_of(function: Any) -> Any:
    """The module that `function` is the call of, None for any other function."""
    torch: Any = sys.modules["torch"]
    owner = getattr(function, "__self__", None)
    name = getattr(function, "__name__", "")
    if isinstance(owner, torch.nn.Module) and name in (
        "__call__",
        "_call_impl",
        "_wrapped_call_impl",
        "forward",
        "_lazy_forward",
    ):
        return owner
    # wrap_inline keeps the module or function that it was made for in its closure.
    wrapped = _closed_over(function)
    return wrapped if isinstance(wrapped, torch.nn.Module) else None


def _closed_over(function: Any) -> Any:
    code = getattr(function, "__code__", None)
    if code is None or not code.co_filename.endswith("external_utils.py"):
        return None
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=False):
        if name == "fn":
            return cell.cell_contents
    return None


def written(function: Any) -> Any:
    """The function that the program wrote, without a wrapper that torch put around it."""
    inner = _closed_over(function)
    return function if inner is None else inner


def code_of(function: Any) -> Any:
    """The code of a function or method, None where it has none."""
    code = getattr(function, "__code__", None)
    if code is None:
        code = getattr(getattr(function, "__func__", None), "__code__", None)
    return code


def _options(context: Any) -> dict[str, str]:
    found: dict[str, str] = {}
    backend = _backend(getattr(context, "callback", None))
    config = getattr(backend, "config", None)
    name = getattr(backend, "compiler_name", None) or getattr(backend, "__name__", "")
    if type(backend).__name__ == "_TorchCompileInductorWrapper":
        name = "inductor"
        for key, value in list(config.items())[:_MOST_OPTIONS] if isinstance(config, dict) else ():
            found[str(key)] = str(value)[:200]
    if name:
        found["backend"] = str(name)
    for key, attribute in (("dynamic", "_dynamic"), ("fullgraph", "fullgraph")):
        value = getattr(context, attribute, None)
        if value is not None and value is not False:
            found[key] = str(value)
    if getattr(context, "_dynamic", None) is False:
        found["dynamic"] = "False"
    return found


def _backend(callback: Any) -> Any:
    for _ in range(20):
        inner = getattr(callback, "_torchdynamo_orig_backend", None) or getattr(
            callback, "_torchdynamo_orig_callable", None
        )
        if inner is None:
            return callback
        callback = inner
    return callback
