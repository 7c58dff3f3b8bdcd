"""What `compilescope forecast` does with its options."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from compilescope.commands.output import color, load, width, write
from compilescope.errors import ExitCode, ProgramError, UsageError
from compilescope.probe.arguments import program

if TYPE_CHECKING:
    from compilescope.model import Session


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
    if given["session"] is not None:
        if arguments:
            raise UsageError("a session and a program are two things to forecast")
        recorded = load(given["session"])
        if recorded.forecast is not None:
            return recorded
        if not recorded.command:
            raise UsageError(
                f"{given['session']} does not say how its program was started",
                hint="compilescope forecast script.py",
            )
        parts, name = recorded.command, recorded.name
    else:
        parts, name = program(arguments, given["python"])
    from compilescope.forecast.launch import Search, forecast
    from compilescope.probe.launcher import Run

    outcome = forecast(
        Run(tuple(parts), name, given["output"], stdout_to_stderr=True),
        Search(
            budget=given["budget"],
            after=given["after_calls"],
            memory=given["memory"] << 20,
            assume=given["assume_dynamic"],
            own_backend=given["own_backend"],
        ),
    )
    if outcome.code:
        text = f"note: the program ended with exit code {outcome.code}"
        print(f"{text}; the forecast is of what it had called until then", file=sys.stderr)
    print(f"compilescope: session saved as {outcome.path}", file=sys.stderr)
    return outcome.session


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
