"""Why the state of a module or an optimizer did not fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope import wording
from compilescope.diagnose.explain_value import (
    changed,
    enumerable,
    floating,
    object_attribute,
    seen,
    stated,
)
from compilescope.diagnose.explain_words import Words, code

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def module_int(words: Words) -> str:
    """An int that is an attribute of an nn.Module."""
    ending = seen(words) if words.repeated else ""
    return f"{changed(words)} {wording.MODULE_INT}{ending}."


def module_float(words: Words) -> str:
    """A float that is an attribute of an nn.Module."""
    return floating(words)


def module_flag(words: Words) -> str:
    """A bool or string on a module."""
    return enumerable(words)


def training(words: Words) -> str:
    """train() and eval()."""
    mode = {"True": ("training", "evaluation"), "False": ("evaluation", "training")}
    then, now = mode.get(words.required or stated(words), ("one", "the other"))
    owner = words.source.removesuffix(".training")
    subject = code(owner) if owner not in ("", "self") else "The module"
    return (
        f"{subject} was in {then} mode when this graph was compiled; {words.call} ran in {now} "
        "mode. "
        "The two modes have one graph each."
    )


def learning_rate(words: Words) -> str:
    """A hyperparameter of an optimizer."""
    if "'lr'" in words.failure.raw:
        return (
            f"{changed(words)} A scheduler changes it, and as a Python float it is a constant at "
            "first: "
            "the optimizer step is compiled again."
        )
    if "len(" in words.failure.raw:
        return (
            "The optimizer had no state when this graph was compiled; its first step creates the "
            "state, so the second step is compiled again. This happens once."
        )
    return (
        f"{changed(words)} It is a Python number in `param_groups`, which is a constant at first."
    )


SENTENCES: Mapping[str, Callable[[Words], str]] = {
    "module.int_attr": module_int,
    "module.float_attr": module_float,
    "module.bool_attr": module_flag,
    "module.str_attr": module_flag,
    "module.attr": object_attribute,
    "module.dict_attr": object_attribute,
    "module.training": training,
    "optimizer": learning_rate,
}
