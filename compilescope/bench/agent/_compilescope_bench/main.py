"""One process of a bench: the subject, its check, its warm-up and its rounds."""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING, Any

from .record import Problem, Record, told

if TYPE_CHECKING:
    from .numerics import Check
    from .steps import Variant
    from .subject import Subject
    from .tuned import Remedies

_SWITCHES = ("TORCHDYNAMO_DISABLE", "TORCH_COMPILE_DISABLE")


def main(path: str) -> int:
    """Do what the specification in `path` says; 0 where it came to its end."""
    with open(path, encoding="utf-8") as file:
        spec = json.load(file)
    record = Record(spec["out"])
    try:
        _import_torch()
        _bench(spec, record)
    except Problem as problem:
        record.write("problem", **problem.fields)
        return 1
    except Exception as error:  # noqa: BLE001  it goes to the user in words
        record.write("problem", stage="run", text="a call failed", cause=told(error), hint="")
        return 1
    record.write("end")
    return 0


def _import_torch() -> None:
    try:
        from . import library  # noqa: F401
    except ImportError as error:
        raise Problem("torch", "torch cannot be imported", cause=told(error)) from error


def _bench(spec: dict[str, Any], record: Record) -> None:
    from . import captured, machine, made
    from .compiles import Compiles
    from .numerics import Check
    from .rounds import Rounds
    from .state import Given
    from .steps import Variant
    from .timing import clock

    if not spec["call"]:
        record.write("program")  # which may take its time
    subject = made.subject(spec) if spec["call"] else captured.subject(spec)
    _autocast(subject, spec)
    compiles = Compiles()
    timer = clock(subject.device, compiles.count)
    record.write("environment", **machine.environment(subject.device))
    eager = Variant("eager", subject.target, subject)
    given = Given(subject) if spec["measure"] and spec["numerics"] else None
    subject.notes += _first(subject, eager)
    _noted(subject)
    _told(subject, timer.name, record)
    check = Check(subject, given) if given is not None else None
    eager.optimize()
    rounds = Rounds(subject, timer, record, spec["seconds"])

    def note() -> None:
        for found in compiles.fresh():
            record.write("compile", **found)

    rounds.warm_up(eager, compiles.fresh, share=0.2)
    if given is not None:
        given.put_back()
    compiled, remedies = _compiled(subject, eager, spec, record)
    if check is not None:
        check.take(compiled)
    try:
        quiet = rounds.warm_up(compiled, note)
    except Exception as error:
        note()
        raise _failed(subject, eager, error) from error
    if remedies is not None:
        record.write("tuned", places=remedies.told.places, cautions=remedies.told.cautions)
    record.write("warm", quiet=quiet)
    if not spec["measure"]:
        rounds.run_again((eager, compiled), note)
        return
    if spec["gate"]:
        record.write("ready")
        _wait(spec["gate"])
    _measure(subject, (eager, compiled), rounds, note, record)
    # Not before: what it frees changes how the allocator serves the calls after it.
    _compare(check, eager, compiled, record)


def _failed(subject: Subject, eager: Variant, error: Exception) -> Problem:
    """Why a compiled call failed: by itself, or as an eager one fails by now."""
    try:
        with subject.surrounded():
            eager.step(eager.input(subject.inputs[0]))
    except Exception as own:  # noqa: BLE001
        text = "the calls cannot be made again and again: they move a state on"
        return Problem("compile", text, cause=told(own))
    return Problem("compile", "the compiled call failed", cause=told(error))


def _wait(gate: str) -> None:
    """Wait for our turn: others are measured, and this machine must be theirs alone."""
    parent = os.getppid()
    while not os.path.exists(gate):
        if os.getppid() != parent:
            raise SystemExit(3)
        time.sleep(0.02)


def _autocast(subject: Subject, spec: dict[str, Any]) -> None:
    from .library import torch

    if spec["autocast"]:
        subject.autocast = ((subject.device.type, getattr(torch, spec["autocast"])),)


def _first(subject: Subject, eager: Variant) -> list[str]:
    from .first_call import first_call

    try:
        return first_call(eager, subject)
    except Problem:
        raise
    except Exception as error:
        raise Problem("input", "the call fails without torch.compile", cause=told(error)) from error


def _noted(subject: Subject) -> None:
    backend = subject.options.get("backend") or "inductor"
    if backend != "inductor":
        name = backend if isinstance(backend, str) else getattr(backend, "__name__", backend)
        subject.notes.append(f"compiled with the backend {name}")
    off = [name for name in _SWITCHES if os.environ.get(name) == "1"]
    subject.notes += [f"{name}=1 is set: PyTorch compiles nothing" for name in off]
    training = [one for one in subject.modules if one.training]
    if training and not (subject.train or subject.steps):
        subject.notes.append("the model is in training mode: dropout and batch norm act")
    if subject.train and subject.loss is None:
        subject.notes.append(
            "the loss is that of the result (`.loss`, or a single number), or else a gradient"
            " drawn at random"
        )


def _told(subject: Subject, timer: str, record: Record) -> None:
    record.write(
        "subject",
        name=subject.name,
        what=subject.what,
        device=str(subject.device.type),
        timer=timer,
        dtype=subject.dtype(),
        autocast=[
            f"{kind} {str(dtype).removeprefix('torch.')}" for kind, dtype in subject.autocast
        ],
        cases=[
            {
                "name": case.name,
                "inputs": [subject.described(item) for item in case.inputs],
                "weights": [item.weight for item in case.inputs],
            }
            for case in subject.cases
        ],
        options={key: repr(value) for key, value in subject.options.items()},
        notes=subject.notes,
    )


def _compiled(
    subject: Subject, eager: Variant, spec: dict[str, Any], record: Record
) -> tuple[Variant, Remedies | None]:
    from .steps import compiled
    from .tuned import Remedies

    folder = os.path.dirname(spec["out"])
    remedies = Remedies(spec["overlay"], spec["agent"], folder) if spec["overlay"] else None
    variant, marks = compiled(subject, spec["setting"])
    if remedies is not None:
        remedies.prepare(variant, subject)
    variant.like(eager)
    variant.optimize(compiled=spec["setting"]["compile_optimizer"])
    record.write("marks", places=marks)
    return variant, remedies


def _measure(
    subject: Subject, variants: tuple[Variant, ...], rounds: Any, note: Any, record: Record
) -> None:
    from .machine import Load
    from .memory import peak, process

    load = Load()
    rounds.run(variants, note)
    record.write("load", others=load.others())
    record.write("timing", seconds=rounds.overhead())
    found = {one.name: peak(one, subject.device, subject.surrounded) for one in variants}
    record.write("memory", **found, process=process())


def _compare(check: Check | None, eager: Variant, compiled: Variant, record: Record) -> None:
    if check is None:
        return
    why, rows = "eager could not be repeated", []
    try:  # the times are known and stay
        check.eager(eager)
        why = "the comparison failed"
        rows, why = check.rows(compiled), check.why
    except Exception as error:  # noqa: BLE001
        why = f"{why}: {told(error)}"
    record.write("numerics", rows=rows, why=why, reference=check.reference)
