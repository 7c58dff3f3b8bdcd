"""The processes of a run and how each of them ended."""

from __future__ import annotations

import signal
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import msgspec

from compilescope.model import Process

if TYPE_CHECKING:
    from compilescope.logs.log import Log
    from compilescope.probe.records import ProcessRecord

How: TypeAlias = Literal["exited", "failed", "killed", "interrupted", "unfinished", "unknown"]


class Processes:
    """The processes of the run, and where each pid stands among them."""

    def __init__(
        self,
        launch: dict[str, Any],
        end: dict[str, Any],
        agents: list[ProcessRecord],
        log: Log,
    ) -> None:
        self.all: list[Process] = []
        self._index: dict[int, int] = {}
        self.main: Process | None = None
        pid = launch.get("pid")
        if isinstance(pid, int):
            agent = next((agent for agent in agents if agent.pid == pid), None)
            self.main = _main_process(pid, launch, end, agent)
            self._add(self.main)
        for agent in agents:
            if agent.pid not in self._index:
                self._add(_agent_process(agent))
        for process in log.processes:
            if process.pid not in self._index:
                self._add(process)
            elif process.rank is not None:
                at = self._index[process.pid]
                if self.all[at].rank is None:
                    self.all[at] = msgspec.structs.replace(self.all[at], rank=process.rank)

    def index(self, pid: int) -> int:
        """Where the process with this pid stands."""
        return self._index[pid]

    def _add(self, process: Process) -> None:
        self._index[process.pid] = len(self.all)
        self.all.append(process)


def _main_process(
    pid: int, launch: dict[str, Any], end: dict[str, Any], agent: ProcessRecord | None
) -> Process:
    status = end.get("status")
    last = agent.all("end")[-1] if agent and agent.all("end") else {}
    how, code, name = _ending(status, last.get("kind", ""))
    error = ": ".join(part for part in (last.get("kind", ""), last.get("text", "")) if part)
    return Process(
        pid=pid,
        rank=agent.first("settings").get("rank") if agent else None,
        command=tuple(launch.get("command", ())),
        started=launch.get("at"),
        ended=end.get("at"),
        how=how,
        code=code,
        signal=name,
        error=error,
    )


def _ending(status: Any, error: str) -> tuple[How, int | None, str]:
    if not isinstance(status, int):
        return "unfinished", None, ""
    if status < 0:
        name = _signal_name(-status)
        return ("interrupted" if name == "SIGINT" else "killed"), 128 - status, name
    if error == "KeyboardInterrupt":
        return "interrupted", status, "SIGINT"
    return ("exited" if status == 0 or not error else "failed"), status, ""


def _signal_name(number: int) -> str:
    with suppress(ValueError):
        return signal.Signals(number).name
    return f"signal {number}"


def _agent_process(agent: ProcessRecord) -> Process:
    began = agent.first("process")
    ends = agent.all("end")
    last = ends[-1] if ends else {}
    error = ": ".join(part for part in (last.get("kind", ""), last.get("text", "")) if part)
    how: How = "unknown"  # no end was written: killed, or gone through os._exit
    if last:
        how = "failed" if error else "exited"
    if last.get("kind") == "KeyboardInterrupt":
        how = "interrupted"
    return Process(
        pid=agent.pid,
        rank=agent.first("settings").get("rank"),
        parent=began.get("forked_from") or began.get("parent"),
        command=tuple(began.get("command", ())),
        started=began.get("at"),
        ended=last.get("at"),
        how=how,
        error=error,
    )
