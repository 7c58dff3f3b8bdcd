"""The subject that a program compiles: the program runs eagerly, and its calls are kept.

Everything that it gives to torch.compile stays uncompiled in this run; each call's arguments are
cloned before the call. The program is ended when enough calls were seen.
"""

from __future__ import annotations

import functools
import sys
import threading
import time
from typing import Any

from . import program
from .library import torch
from .record import Problem, told
from .subject import Case, Input, Subject
from .tensors import cloned, leaves

_MOST_BYTES = 512 << 20


class _EnoughError(BaseException):
    """Ends the program; an `except Exception` of it lets this pass."""


class Captured:
    """One thing that the program compiled, and the calls of it."""

    def __init__(self, target: Any, options: dict[str, Any]) -> None:
        self.target = target
        self.options = options
        self.inputs: dict[Any, Input] = {}
        self.calls = 0
        self.seconds = 0.0
        self.grad = False
        self.backward = False
        self.inference = False
        self.autocast: tuple[tuple[str, Any], ...] = ()

    @property
    def name(self) -> str:
        """As the program's author knows it."""
        if isinstance(self.target, torch.nn.Module):
            return type(self.target).__qualname__
        return str(getattr(self.target, "__qualname__", type(self.target).__qualname__))


class Capture:
    """Takes the place of the compiler while the program runs."""

    def __init__(self, most: int) -> None:
        self.found: dict[Any, Captured] = {}
        self.asked = False  # whether torch.compile was called at all
        self._most = most
        self._calls = 0
        self._depth = 0  # compiled calls inside of one another
        self._bytes = 0
        self._open = True
        self._given = threading.local()

    def run(self, argv: list[str], *, module: bool) -> str:
        """Run the program to its end, or to enough calls; why it ended, "" for its own end."""
        original, context = torch.compile, torch._dynamo.eval_frame.OptimizeContext  # noqa: SLF001
        call = context.__call__
        torch.compile = self._compile(original)
        context.__call__ = self._context(call)
        sys.argv[:] = argv
        try:
            program.run(argv[0], module=module)
        except _EnoughError:
            return "enough"
        except SystemExit:
            return ""
        except Exception as error:  # noqa: BLE001
            return told(error)
        finally:
            self._open = False
            for one in self.found.values():
                if isinstance(one.target, torch.nn.Module):
                    # `module.compile()` keeps what stands in its place, and would call it.
                    one.target._compiled_call_impl = None  # noqa: SLF001
            torch.compile = original
            context.__call__ = call
        return ""

    def _compile(self, original: Any) -> Any:
        @functools.wraps(original)
        def compile(model: Any = None, **given: Any) -> Any:  # noqa: A001  it stands in for torch.compile
            if model is None:
                return lambda function: compile(function, **given)
            self._given.options = given
            self.asked = True
            try:
                return original(model, **given)
            finally:
                self._given.options = {}

        return compile

    def _context(self, original: Any) -> Any:
        capture = self

        @functools.wraps(original)
        def __call__(context: Any, function: Any) -> Any:  # noqa: N807
            # A module comes back here with its `__call__`; a class is only prepared.
            if isinstance(function, (torch.nn.Module, type)):
                return original(context, function)
            return capture.around(function, dict(getattr(capture._given, "options", {})))

        return __call__

    def around(self, function: Any, options: dict[str, Any]) -> Any:
        """`function` as it is, its calls kept."""
        target = _written(function)
        owner = getattr(target, "__self__", target)
        key = (id(owner) if isinstance(owner, torch.nn.Module) else 0,
               getattr(target, "__code__", target))  # fmt: skip
        found = self.found.setdefault(key, Captured(target, options))

        @functools.wraps(function)
        def kept(*args: Any, **kwargs: Any) -> Any:
            if not self._open or self._calls >= self._most:
                return function(*args, **kwargs)
            self._keep(found, args, kwargs)
            began = time.perf_counter()
            self._depth += 1
            try:
                result = function(*args, **kwargs)
            finally:
                self._depth -= 1
            found.seconds += time.perf_counter() - began
            found.backward |= any(
                isinstance(part, torch.Tensor) and part.requires_grad
                for _, part in leaves("", result)
            )
            if self._calls >= self._most and not self._depth:
                raise _EnoughError
            return result

        return kept

    def _keep(self, found: Captured, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._calls += 1
        found.calls += 1
        key = _key(args, kwargs)
        if key in found.inputs:
            found.inputs[key].weight += 1
            return
        if not found.inputs:
            found.grad = torch.is_grad_enabled()
            found.inference = torch.is_inference_mode_enabled()
            found.autocast = _autocast()
        size = sum(
            part.numel() * part.element_size()
            for _, part in leaves("", (args, kwargs))
            if isinstance(part, torch.Tensor)
        )
        if self._bytes + size > _MOST_BYTES and found.inputs:
            return
        self._bytes += size
        found.inputs[key] = Input(cloned(args), cloned(kwargs))


def subject(spec: dict[str, Any]) -> Subject:
    """What the program compiles and spends most time in.

    Raises:
        Problem: it fails before it calls anything compiled, or compiles nothing.
    """
    capture = Capture(spec["calls"])
    ended = capture.run(list(spec["script"]), module=spec["module"])
    called = [one for one in capture.found.values() if one.inputs]
    if not called:
        raise _nothing(spec, capture, ended)
    names = _names(called)
    wanted = [one for one in called if not spec["only"] or names[id(one)] == spec["only"]]
    if not wanted:
        all_names = ", ".join(sorted(names.values()))
        raise Problem(
            "input", f"nothing compiled is called {spec['only']}", hint=f"one of {all_names}"
        )
    best = max(wanted, key=lambda one: one.seconds)
    notes = [*_notes(best, called, ended, names)]
    return Subject(
        best.target,
        [Case("", list(best.inputs.values()))],
        names[id(best)],
        train=best.grad and best.backward,
        grad=best.grad,
        optimizer=(spec["optimizer"] or None) if spec["train"] else None,
        options=best.options,
        autocast=best.autocast,
        inference=best.inference,
        notes=notes,
    )


def _nothing(spec: dict[str, Any], capture: Capture, ended: str) -> Problem:
    name = spec["script"][0]
    if ended and ended != "enough":
        return Problem("input", f"{name} failed before it called anything compiled", cause=ended)
    if capture.found:
        return Problem("input", f"{name} compiles, but never calls what it compiled")
    if capture.asked:
        cause = "torch.compile was called and left it all as it is (disable=True?)"
        return Problem("input", f"{name} compiles nothing", cause=cause)
    return Problem(
        "input",
        f"{name} compiles nothing",
        cause="torch.compile was not called",
        hint="--call file.py:function benches a model that is not compiled yet",
    )


def _names(called: list[Captured]) -> dict[int, str]:
    """Each one's name; the second of a name has a number behind it."""
    seen: dict[str, int] = {}
    found = {}
    for one in called:
        number = seen[one.name] = seen.get(one.name, 0) + 1
        found[id(one)] = f"{one.name}#{number}" if number > 1 else one.name
    return found


def _notes(best: Captured, called: list[Captured], ended: str, names: dict[int, str]) -> list[str]:
    count = f"{best.calls} call{'s' if best.calls > 1 else ''}"
    kinds = len(best.inputs)
    inputs = f"{kinds} kind{'s' if kinds > 1 else ''} of inputs"
    notes = [f"the inputs are those of {count} of the program, which ran eagerly: {inputs}"]
    others = sorted(names[id(one)] for one in called if one is not best)
    if others:
        notes.append(
            f"of what the program compiles, {names[id(best)]} is measured; not measured:"
            f" {', '.join(others)} (--only NAME)"
        )
    if ended == "enough":
        notes.append("the program was ended after these calls (--calls N)")
    elif ended:
        notes.append(f"the program failed after these calls: {ended}")
    return notes


def _written(function: Any) -> Any:
    """What the program gave to torch.compile: torch puts a wrapper around some of it."""
    code = getattr(function, "__code__", None)
    if code is not None and code.co_filename.endswith("external_utils.py"):
        held = zip(code.co_freevars, function.__closure__ or (), strict=False)
        function = next((cell.cell_contents for name, cell in held if name == "fn"), function)
    owner = getattr(function, "__self__", None)
    of_module = isinstance(owner, torch.nn.Module) and "call" in function.__name__
    return owner if of_module else function


def _key(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return tuple(
        (path, tuple(part.shape), part.stride(), part.dtype, part.requires_grad)
        if isinstance(part, torch.Tensor) and part.layout is torch.strided
        else (path, repr(type(part)), None if isinstance(part, torch.Tensor) else part)
        for path, part in leaves("", (args, kwargs))
    )


def _autocast() -> tuple[tuple[str, Any], ...]:
    return tuple(
        (kind, torch.get_autocast_dtype(kind))
        for kind in ("cpu", "cuda")
        if torch.is_autocast_enabled(kind)
    )
