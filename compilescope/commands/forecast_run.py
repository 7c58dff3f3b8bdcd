"""What `compilescope forecast` does with its options."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from compilescope.commands.output import color, load, width, write
from compilescope.errors import ExitCode, ProgramError, UsageError
from compilescope.forecast import KINDS
from compilescope.probe.arguments import program

if TYPE_CHECKING:
    from pathlib import Path

    from compilescope.forecast.launch import Search
    from compilescope.model import Session
    from compilescope.probe.launcher import Run


def run(given: dict[str, Any]) -> int:
    """Forecast, print, write the warm-up and judge; the exit code."""
    session = _session(given)
    if session.forecast is None or (session.forecast.stopped and not session.forecast.callables):
        why = session.forecast.stopped if session.forecast else ""
        raise ProgramError("nothing could be explored", cause=why, hint=_hint(why))
    from compilescope.diagnose import diagnose
    from compilescope.packs import report

    render = report("forecast" if given["form"] == "terminal" else given["form"])
    write(render(diagnose(session), width=width(), color=color(), everything=given["everything"]))
    if given["emit"] is not None:
        _emit(session, given["emit"])
    return _judge(session, given["check"])


def _session(given: dict[str, Any]) -> Session:
    arguments = given["command"]
    recorded = None
    if given["session"] is not None:
        if arguments:
            raise UsageError("a session and a program are two things to forecast")
        recorded = load(given["session"])
        if recorded.forecast is not None and not (given["remedies"] or _proves(given)):
            return recorded
        if not recorded.command:
            if recorded.forecast is not None:
                return recorded
            raise UsageError(
                f"{given['session']} does not say how its program was started",
                hint="compilescope forecast script.py",
            )
        parts, name = recorded.command, recorded.name
    else:
        parts, name = program(arguments, given["python"])
    from compilescope.probe.launcher import Run

    run = Run(tuple(parts), name, given["output"], stdout_to_stderr=True)
    if recorded is not None and recorded.forecast is not None:
        session, path = recorded, given["output"] or given["session"]
    else:
        session, path = _made(run, _search(given))
    return _tried(run, given, session, path)


def _search(given: dict[str, Any]) -> Search:
    from compilescope.forecast.launch import Search
    from compilescope.forecast.spec import read_spec

    return Search(
        budget=given["budget"],
        after=given["after_calls"],
        memory=given["memory"] << 20,
        assume=_assumed(given),
        spec=read_spec(given["spec"]) if given["spec"] else None,
        own_backend=given["own_backend"],
    )


def _made(run: Run, search: Search) -> tuple[Session, Path]:
    from compilescope.forecast.launch import forecast

    outcome = forecast(run, search)
    if outcome.code:
        text = f"note: the program ended with exit code {outcome.code}"
        print(f"{text}; the forecast is of what it had called until then", file=sys.stderr)
    return outcome.session, outcome.path


def _tried(run: Run, given: dict[str, Any], session: Session, path: Path) -> Session:
    """The session with what further runs of the program showed, and saved."""
    from compilescope import store

    if given["remedies"]:
        from compilescope.forecast.remedies import try_remedies

        session = try_remedies(run, _search(given), session)
    if _proves(given):
        from compilescope.forecast.proving import prove

        print("compilescope: the program runs once more, behind its warm-up", file=sys.stderr)
        session = prove(run, _search(given), session)
    store.save(session, path)
    print(f"compilescope: session saved as {path}", file=sys.stderr)
    return session


def _proves(given: dict[str, Any]) -> bool:
    return given["emit"] is not None and given["prove"]


def _assumed(given: dict[str, Any]) -> tuple[str, ...]:
    chosen = {*given["assume"], *(["sizes"] if given["assume_dynamic"] else [])}
    return KINDS if "all" in chosen else tuple(name for name in KINDS if name in chosen)


def _hint(why: str) -> str:
    if "no compiled callable" in why:
        return "the forecast needs a program that calls what it compiled, and ends by itself"
    return ""


def _emit(session: Session, path: Any) -> None:
    from compilescope import store
    from compilescope.forecast.warmup import warmup

    store.write(warmup(session).encode(), path)
    print(f"compilescope: warm-up written to {path}", file=sys.stderr)


def _judge(session: Session, most: int | None) -> int:
    assert session.forecast is not None
    found = sum(call.what == "graph" for call in session.forecast.calls)
    if most is None:
        return ExitCode.CLEAN
    crossed = found > most
    verdict = "more than" if crossed else "within"
    print(f"compilescope: {found} inputs would recompile, {verdict} {most}", file=sys.stderr)
    return ExitCode.FINDINGS if crossed else ExitCode.CLEAN
