"""A raw folder to a session: what the agents wrote and what torch's own trace says, as one."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import msgspec

from compilescope.errors import InputError
from compilescope.logs.log import Log
from compilescope.logs.structured import read_trace
from compilescope.model import Environment, Gap, Session
from compilescope.probe import merge, records, source_lines
from compilescope.probe.processes import Processes
from compilescope.probe.raw import END, LAUNCH, TRACE


def from_raw(folder: Path) -> Session:
    """The session in a raw folder, also when the launcher itself never came back to it."""
    return session_of(folder, records.read(folder), read_trace)


def session_of(
    folder: Path, agents: list[records.ProcessRecord], read: Callable[[list[Path]], Log]
) -> Session:
    """The session of a raw folder whose agents' files were read; `read` reads traces."""
    launch = _json(folder / LAUNCH)
    end = _json(folder / END)
    gaps: list[Gap] = []
    log = _trace(_trace_files(folder, launch, agents), gaps, read)
    processes = Processes(launch, end, agents, log)
    callables, signatures, calls = merge.calls(agents, processes, gaps)
    events = merge.events(log, agents, processes, calls)
    gaps += [*log.gaps, *merge.gaps(agents)]
    main = processes.main
    started = launch.get("at")
    return Session(
        source="probe",
        name=str(launch.get("name", folder.name)),
        created=datetime.fromtimestamp(started or 0, timezone.utc).isoformat(timespec="seconds"),
        command=tuple(launch.get("command", ())),
        how=main.how if main else "unknown",
        code=main.code if main else None,
        seconds=end["at"] - started if started and "at" in end else None,
        environment=environment(agents, log),
        processes=tuple(processes.all),
        callables=callables,
        signatures=signatures,
        events=events,
        sources=source_lines.around(events, callables, _home(launch)),
        graph_break_kinds=merge.graph_break_kinds(agents, events),
        gaps=tuple(gaps),
        memory=merge.memory(agents, processes),
    )


def environment(agents: list[records.ProcessRecord], log: Log) -> Environment:
    """What the run ran on: the agent's word, completed from the trace."""
    found = log.environment
    agent = next((agent for agent in agents if agent.first("torch")), None)
    if agent is None:
        return found
    torch = agent.first("torch")
    called = next((agent for agent in agents if agent.first("settings")), agent)
    settings = called.first("settings")
    packages: dict[str, str] = settings.get("packages", {})
    return msgspec.structs.replace(
        found,
        torch=torch.get("version") or found.torch,
        python=torch.get("python") or found.python,
        platform=torch.get("platform") or found.platform,
        cuda=torch.get("cuda") or found.cuda,
        triton=packages.get("triton") or found.triton,
        devices=tuple(settings.get("devices", ())) or found.devices,
        cpu_count=torch.get("cpu_count") or found.cpu_count,
        packages={**found.packages, **packages},
        variables={**found.variables, **torch.get("variables", {})},
        config={**found.config, **settings.get("config", {})},
    )


def _trace_files(
    folder: Path, launch: dict[str, Any], agents: list[records.ProcessRecord]
) -> list[Path]:
    """The trace files of this run: ours, and those in a folder that the program chose itself."""
    found = sorted((folder / TRACE).glob("*.log"))
    home = _home(launch)
    chosen = {str(agent.first("torch").get("trace", "")) for agent in agents} - {""}
    since = float(launch.get("at", 0))
    for name in sorted(chosen):
        theirs = home / name
        if theirs.resolve() != (folder / TRACE).resolve():
            # Theirs may hold earlier runs; clocks of file systems are coarse.
            found += [
                path
                for path in sorted(theirs.glob("*.log"))
                if path.stat().st_mtime >= since - 1 and _is_ours(path, agents)
            ]
    return found


def _is_ours(path: Path, agents: list[records.ProcessRecord]) -> bool:
    pids = {str(agent.pid) for agent in agents}
    with suppress(OSError), path.open("rb") as file:
        words = file.readline(4000).decode("utf-8", "replace").split(" ", 3)
        return len(words) > 2 and words[2] in pids
    return False


def _trace(paths: list[Path], gaps: list[Gap], read: Callable[[list[Path]], Log]) -> Log:
    if not paths:
        return Log()
    try:
        return read(paths)
    except InputError as error:
        detail = f"{error.message}: {error.cause}" if error.cause else error.message
        gaps.append(Gap("the trace of torch could not be read", detail=detail))
        return Log()


def _home(launch: dict[str, Any]) -> Path:
    return Path(str(launch.get("folder", ".")))


def _json(path: Path) -> dict[str, Any]:
    with suppress(OSError, ValueError):
        content = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(content, dict):
            return content
    return {}
