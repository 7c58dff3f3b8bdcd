"""What the command line names: a function, a script, or a session whose program is run again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec import structs

from compilescope import store
from compilescope.bench.earlier import load
from compilescope.bench.plan import Plan, settings, shapes
from compilescope.bench.tuned import best_of, overlay, result_at
from compilescope.errors import CompilescopeError, InputError, UsageError
from compilescope.probe.arguments import program
from compilescope.probe.interpreter import choose

_CANNOT = "bench runs Python: name a script, `-m module`, a session, or --call file.py:function"
_AUTOCAST = ("bfloat16", "float16")

# Options that are fields of the plan under the same name.
_SAME = ("jobs", "search", "train", "optimizer", "autocast", "backend", "calls", "only", "seconds",
         "minutes", "warm_cache", "numerics", "quiet", "keep")  # fmt: skip


@dataclass(frozen=True)
class Source:
    """The interpreter and what it is to run."""

    python: str
    name: str
    script: tuple[str, ...] = ()
    module: bool = False
    notes: tuple[str, ...] = ()
    folder: Path = Path(".compilescope")  # where tune's result would be


def source(parts: Sequence[str], python: str | None) -> Source:
    """What to run for the command's words.

    Raises:
        UsageError: nothing was named, or no Python program.
        InputError: a session that tells of no call, or whose program is gone.
        ProgramError: the script does not exist, or no interpreter has torch.
    """
    if not parts:
        raise UsageError("nothing to measure was named", hint=_CANNOT)
    path = Path(parts[0])
    if store.is_session(path):
        return _session(path, python)
    if path.suffix == ".json":
        raise _result(path)
    command, name = program(parts, python)
    return _program(command, name)


def planned(given: dict[str, Any]) -> Plan:
    """The plan that the command's options make.

    Raises:
        CompilescopeError: as `source`, or options that do not go together.
    """
    call, parts = given["call"] or "", given["command"]
    _together(given, call=bool(call), parts=bool(parts))
    found = Source(choose(given["python"]), call) if call else source(parts, given["python"])
    # Without a wish: what the program does, and for a function what torch.compile does.
    modes = given["modes"] or ("default" if call else "")
    chosen = settings(
        modes, given["dynamic"], given["pad"], compile_optimizer=given["compile_optimizer"]
    )
    best = best_of(result_at(given["tuned"], found.name)) if given["tuned"] else None
    tuned = (structs.replace(chosen[0], tuned=True),) if best else ()
    return Plan(
        python=found.python,
        name=found.name,
        call=call,
        script=found.script,
        module=found.module,
        settings=(*chosen, *tuned),
        overlay=overlay(best) if best else {},
        folder=found.folder,
        shapes=shapes(given["shapes"]),
        notes=(*found.notes, *([best.text] if best else ())),
        **{name: given[name] for name in _SAME},
    )


def _result(path: Path) -> InputError:
    """Why a file of JSON is no program; most likely it is a result."""
    try:
        load(path)
    except CompilescopeError:
        return InputError(f"{path} is no Python program", hint=_CANNOT)
    return InputError(
        f"{path} is a result of bench", hint=f"`compilescope bench --read {path}` shows it"
    )


def _together(given: dict[str, Any], *, call: bool, parts: bool) -> None:
    if call and parts:
        raise UsageError("--call and a program are two things", hint="give one of them")
    if call and not all(given["call"].rpartition(":")[::2]):
        raise UsageError(f"--call {given['call']} names no function", hint="--call file.py:make")
    if given["autocast"] not in ("", *_AUTOCAST):
        raise UsageError(
            f"--autocast takes no {given['autocast']}", hint=f"one of: {', '.join(_AUTOCAST)}"
        )
    if not call:
        for name in ("shapes", "backend"):
            if given[name]:
                raise UsageError(f"--{name} needs --call", cause="a program brings its own")
    if (given["compile_optimizer"] or given["optimizer"]) and not given["train"]:
        raise UsageError("an optimizer needs --train")


def _program(command: tuple[str, ...], name: str) -> Source:
    interpreter, *rest = command
    module = bool(rest) and rest[0] == "-m"
    script = tuple(rest[1:] if module else rest)
    if not script or (not module and script[0].startswith("-")):
        raise UsageError(f"{name} is no Python program", hint=_CANNOT)
    return Source(interpreter, name, script, module)


def _session(path: Path, python: str | None) -> Source:
    from compilescope.model import Called

    session = store.load(path)
    called = [event for event in session.events if isinstance(event, Called)]
    if not session.signatures or not called:
        raise InputError(
            f"{path} has no inputs of a compiled call",
            cause="it holds no signatures: logs do not record them, and a run without calls has"
            " none",
            hint="`compilescope probe script.py` records them; or --call file.py:function",
        )
    if not session.command:
        raise InputError(
            f"{path} does not say which program it is of", hint="compilescope bench script.py"
        )
    interpreter, *rest = session.command
    made = _program((interpreter, *rest), session.name)
    if not made.module and not Path(made.script[0]).exists():
        raise InputError(
            f"the program of {path} is gone",
            cause=f"{made.script[0]} does not exist in {Path.cwd()}",
            hint="run bench in the folder that the program was probed in",
        )
    # Signatures have no values: indexes and masks made up to fit them would not be honest.
    note = "the session's program was run again: its own inputs, not ones made from signatures"
    chosen = choose(python or interpreter)
    return Source(chosen, session.name, made.script, made.module, (note,), path.parent)
