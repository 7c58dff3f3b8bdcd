"""The subject that a function of the user's makes: `--call module:function`."""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import itertools
import os
import sys
from typing import Any

from .library import torch
from .record import Problem, told
from .subject import Case, Input, Subject

_RETURN = "return model, inputs: the inputs a tuple, a dict, or a list of these"


def subject(spec: dict[str, Any]) -> Subject:
    """What the function that `spec` names returns, called once for each shape.

    Raises:
        Problem: there is no such function, it raises, or it returns something else.
    """
    make = _function(spec["call"])
    rows = [dict(zip(spec["shapes"], sizes, strict=True))
            for sizes in itertools.product(*spec["shapes"].values())]  # fmt: skip
    made = [_called(make, spec["call"], row) for row in rows]
    target, _, loss, optimizer = made[0]
    cases = [
        Case(" ".join(f"{name}={size}" for name, size in row.items()), inputs)
        for row, (_, inputs, _, _) in zip(rows, made, strict=True)
    ]
    train = bool(spec["train"])
    if train and spec["optimizer"]:
        optimizer = spec["optimizer"]
    options = {"backend": spec["backend"]} if spec["backend"] else {}
    return Subject(
        target,
        cases,
        spec["call"],
        train=train,
        optimizer=(optimizer or "AdamW") if train else None,
        loss=loss,
        options=options,
    )


def _function(reference: str) -> Any:
    place, _, name = reference.rpartition(":")
    module = _module(place)
    found: Any = module
    for part in name.split("."):
        if not hasattr(found, part):
            names = [key for key, value in vars(found).items() if callable(value)]
            near = difflib.get_close_matches(part, names, n=1)
            raise Problem(
                "input",
                f"{place} has no `{part}`",
                hint=f"did you mean `{near[0]}`?" if near else "name a function that it defines",
            )
        found = getattr(found, part)
    if not callable(found):
        raise Problem("input", f"`{name}` of {place} is no function", hint=_RETURN)
    return found


def _module(place: str) -> Any:
    if place.endswith(".py") and not os.path.exists(place):
        raise Problem(
            "input", f"{place} does not exist", cause=f"there is no such file in {os.getcwd()}"
        )
    try:
        if place.endswith(".py"):
            return _from_file(place)
        sys.path.insert(0, os.getcwd())
        return importlib.import_module(place)
    except Exception as error:
        missing = (
            isinstance(error, ModuleNotFoundError) and error.name == place.split(".", maxsplit=1)[0]
        )
        hint = "name a file, `path/to/file.py:function`, or a module that can be imported here"
        raise Problem(
            "input", f"cannot import {place}", cause=told(error), hint=hint if missing else ""
        ) from error


def _from_file(path: str) -> Any:
    name = os.path.basename(path).removesuffix(".py")
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _called(
    make: Any, reference: str, sizes: dict[str, int]
) -> tuple[Any, list[Input], Any, Any]:  # fmt: skip
    given = ", ".join(f"{name}={size}" for name, size in sizes.items())
    try:
        made = make(**sizes)
    except Exception as error:
        unknown = isinstance(error, TypeError) and "unexpected keyword" in str(error)
        raise Problem(
            "input",
            f"{reference} raised with {given or 'no arguments'}",
            cause=told(error),
            hint="--shapes gives sizes to the function by name" if unknown else "",
        ) from error
    if not isinstance(made, tuple) or not 2 <= len(made) <= 4:
        raise Problem("input", f"{reference} returned {_kind(made)}", hint=_RETURN)
    target, inputs, *rest = made
    if not callable(target):
        raise Problem(
            "input",
            f"{reference} returned {_kind(target)} as the model",
            cause="it cannot be called",
            hint=_RETURN,
        )
    loss, optimizer = (*rest, None, None)[:2]
    return target, _inputs(inputs, reference), loss, optimizer


def _inputs(given: Any, reference: str) -> list[Input]:
    if isinstance(given, torch.Tensor):
        return [Input((given,), {})]
    if isinstance(given, tuple):
        return [Input(given, {})]
    if isinstance(given, dict) or hasattr(given, "keys"):
        return [Input((), dict(given))]
    if isinstance(given, list) and given:
        return [item for one in given for item in _inputs(one, reference)]
    raise Problem("input", f"{reference} returned {_kind(given)} as the inputs", hint=_RETURN)


def _kind(value: Any) -> str:
    if value is None:
        return "None"
    if isinstance(value, tuple):
        return f"a tuple of {len(value)}"
    if isinstance(value, list) and not value:
        return "an empty list"
    name = type(value).__name__
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"
