"""The remedies of a trial of tune, in place for the compiled calls.

Marks and changes of arguments are made once, on inputs that every call brings again, as `marked`
does; what a program would have to do at each call goes through the way that tune's trials take.
"""

from __future__ import annotations

import sys
from typing import Any

from .library import torch
from .record import Problem
from .steps import Variant
from .subject import Input, Subject

_OUTSIDE = (
    "its remedies are applied from outside at each compiled call, which takes some microseconds"
    " that a change of the program would not"
)


class Told:
    """What was applied and what was not, where a trial would write it down."""

    def __init__(self) -> None:
        self.places: list[str] = []
        self.cautions: list[str] = []

    def note(self, record: str, **fields: Any) -> None:
        """Records of another sort: a bench has its own."""

    def applied(self, what: str) -> None:
        """A remedy is in place."""
        if what not in self.places:
            self.places.append(what)

    def refused(self, what: str, why: str) -> None:
        """A remedy could not be applied."""
        text = f"a remedy could not be applied: {what}, {why}"
        if text not in self.cautions:
            self.cautions.append(text)


class Remedies:
    """What an overlay asks for, and what became of it."""

    def __init__(self, content: dict[str, Any], agent: str, folder: str) -> None:
        sys.path.insert(0, agent)
        try:
            from _compilescope_agent import (  # type: ignore[import-not-found]
                overlay,
                overlay_calls,
            )
        finally:
            sys.path.remove(agent)
        self.told = Told()
        self._module = overlay
        self._overlay = overlay.Overlay(content, folder)
        self._overlay.record = self.told
        self._each_call = bool(self._overlay.attributes or self._overlay.modes) or any(
            entry["do"] == "pad" for entry in self._overlay.arguments
        )
        self._overlay.on_torch(torch)
        if self._each_call:
            overlay_calls.watch(torch._dynamo.eval_frame, self._overlay)  # noqa: SLF001
        else:
            self._overlay.settle()

    def prepare(self, variant: Variant, subject: Subject) -> None:
        """Change the inputs of `variant`, where that is all there is to do.

        Raises:
            Problem: the remedies are of another callable.
        """
        name = self._module.name_of(subject.target)
        entries = [*self._overlay.arguments, *self._overlay.attributes, *self._overlay.modes]
        others = sorted({entry.get("callable") or name for entry in entries} - {name})
        if entries and all(entry.get("callable") not in ("", name) for entry in entries):
            raise Problem(
                "setting",
                f"the remedies are for {', '.join(others)}, what is measured is {name}",
                hint="--only NAME measures another callable of the program",
            )
        if self._each_call:
            self.told.cautions.append(_OUTSIDE)
        else:
            self._change(variant, subject, name)

    def _change(self, variant: Variant, subject: Subject, name: str) -> None:
        from _compilescope_agent.callables import code_of  # type: ignore[import-not-found]
        from _compilescope_agent.inputs import Names  # type: ignore[import-not-found]
        from _compilescope_agent.overlay_arguments import (  # type: ignore[import-not-found]
            Changes,
        )

        target = subject.target
        inner = target.forward if isinstance(target, torch.nn.Module) else target
        code = code_of(inner)
        names = Names(code, skip_first=hasattr(inner, "__self__")) if code else None
        changes = Changes(self._overlay, name, names, getattr(inner, "__self__", None), inner)
        first = True
        for group in variant.items:
            for number, item in enumerate(group):
                args, kwargs = changes.apply(item.args, item.kwargs, first=first)
                group[number] = Input(args, kwargs, item.weight)
                first = False
