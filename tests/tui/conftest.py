"""Apps on recorded sessions, a session of any size, and pictures that stay the same."""

from __future__ import annotations

import asyncio
import os
import re
import time
from pathlib import Path

import pytest
from textual import _wait

from compilescope import store
from compilescope.model import (
    Callable,
    Called,
    Compiled,
    Environment,
    Event,
    Frame,
    GuardFailure,
    Recompiled,
    Session,
)
from compilescope.tui.app import Scope
from compilescope.tui.widgets.detail import Detail
from compilescope.tui.widgets.grid import Grid
from compilescope.tui.widgets.styled import Row
from compilescope.tui.widgets.timeline import Timeline

DATA = Path(__file__).parents[1] / "data" / "sessions"
GOLDEN = Path(__file__).parents[1] / "golden" / "tui"
NARROW, WIDE = (80, 24), (200, 50)


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """A folder, a home, a clock and a terminal that do not depend on who runs the tests."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/home/user")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLORTERM", "truecolor")
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    for name in ("NO_COLOR", "EDITOR", "VISUAL", "SSH_CONNECTION", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """After a key Textual sleeps to see whether all is done; `settle` waits for what is to come."""
    monkeypatch.setattr(_wait, "SLEEP_GRANULARITY", 0.004)
    monkeypatch.setattr(_wait, "SLEEP_IDLE", 0.0005)


@pytest.fixture
def recorded():
    return lambda name: DATA / f"{name}.cscope.json.gz"


class Stage:
    """An app under a pilot, and what the tests ask of it."""

    def __init__(self, pilot) -> None:
        self.pilot = pilot
        self.app = pilot.app
        self.said: list[str] = []
        self.copied: list[str] = []
        self.edited: list[list[str]] = []
        self.pages: list[Path] = []
        self.app.copy_to_clipboard = self.copied.append
        self.app.run_editor = self.edited.append
        self.app.open_page = lambda path: bool(self.pages.append(path)) or True

    @property
    def screen(self):
        return self.app.screen

    @property
    def grid(self) -> Grid:
        return self.screen.query_one(Grid)

    @property
    def detail(self) -> Detail:
        return self.screen.query_one(Detail)

    @property
    def timeline(self) -> Timeline:
        return self.screen.query_one(Timeline)

    @property
    def notices(self) -> list[str]:
        return [str(notice.message) for notice in self.app._notifications]

    def text(self, selector: str) -> str:
        found = self.screen.query_one(selector)
        if isinstance(found, Row):
            return found.text
        return str(found.render())

    def column(self, number: int) -> list[str]:
        """The cells of a column, of all rows."""
        table = self.grid.table
        return [table.columns[number].cell(table.items[row]) for row in self.grid.rows]

    def lines(self) -> list[str]:
        """The lines on the screen."""
        strips = self.screen._compositor.render_strips()
        return ["".join(segment.text for segment in strip).rstrip() for strip in strips]

    async def settle(self) -> None:
        quiet = 0
        while quiet < 4:  # a key goes from the app through screen and pane to a worker
            quiet += 1
            await self.pilot._wait_for_screen()
            if any(worker.is_running for worker in self.app.workers):
                await self.app.workers.wait_for_complete()
                quiet = 0
        await self.pilot.pause()

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self.pilot.press(key)
        await self.settle()

    async def type(self, text: str) -> None:
        await self.press(*(_KEYS.get(letter, letter) for letter in text))


_KEYS = {":": "colon", ">": "greater_than_sign", "!": "exclamation_mark", " ": "space"}


@pytest.fixture
def play():
    """Runs a scene, an async function of a stage, on an app that has read these paths."""

    def run(scene, *paths: Path, size=NARROW, **options):
        async def whole() -> None:
            app = Scope(paths, **options)
            app.animation_level = "none"
            async with app.run_test(size=size) as pilot:
                stage = Stage(pilot)
                await stage.settle()
                await scene(stage)

        asyncio.run(whole())

    return run


@pytest.fixture
def picture():
    """Compares the screen with a golden SVG; `UPDATE_GOLDEN=1` writes it anew."""

    def check(app, name: str) -> None:
        svg = re.sub(r"terminal-\d+", "terminal", app.export_screenshot())
        path = GOLDEN / f"{name}.svg"
        if os.environ.get("UPDATE_GOLDEN"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(svg, encoding="utf-8", newline="\n")
        assert svg == path.read_text(encoding="utf-8"), f"look at {path}; UPDATE_GOLDEN=1 renews it"

    return check


@pytest.fixture
def two_callables(tmp_path):
    """A session in which two callables were called."""
    events = [
        Called(0, number % 2, number // 2, 100.0 + number, 0.5 if number % 2 else 0.1)
        for number in range(6)
    ]
    path = tmp_path / f"two{store.SUFFIX}"
    callables = (Callable(0, "quick"), Callable(0, "slow"))
    store.save(Session(name="two.py", callables=callables, events=tuple(events)), path)
    return path


@pytest.fixture(scope="session")
def large_session():
    return large


def large(calls: int = 100_000, compiles: int = 2_000, causes: int = 40) -> Session:
    """A session of any size: a compile every few calls, each for one of `causes` lines."""
    step = max(1, calls // compiles)
    events: list[Event] = []
    at = 1_700_000_000.0
    for number in range(calls):
        ids: tuple[str, ...] = ()
        if number % step == 0 and number // step < compiles:
            order = number // step
            name = f"{order % causes}/{order // causes}"
            frame = Frame(
                "/home/user/project/model.py", 10 + order % causes, f"layer{order % causes}"
            )
            ids = (name,)
            events.append(
                Compiled(
                    0,
                    name,
                    frame,
                    at=at,
                    seconds=0.5 + order % 7 * 0.1,
                    phases={"dynamo": 0.2, "inductor": 0.3},
                    recompile=order >= causes,
                )
            )
            if order >= causes:
                raw = f"tensor 'x' size mismatch at index 0. expected {order}, actual {order + 1}"
                reason = GuardFailure(
                    "tensor.size", raw, "x", 0, str(order), str(order + 1), name, frame
                )
                events.append(Recompiled(0, name, frame, at=at, reasons=(reason,)))
        took = 0.6 if ids else 0.001 + number % 13 * 1e-5
        events.append(Called(0, 0, number, at, took, ids))
        at += took
    source = {line: f"    x = layer{line}(x)  # line {line}" for line in range(1, 60)}
    return Session(
        name="large.py",
        created="2026-01-02T03:04:05+00:00",
        how="exited",
        code=0,
        seconds=at - 1_700_000_000.0,
        environment=Environment(torch="2.13.0", python="3.11.7"),
        callables=(Callable(0, "Model", Frame("/home/user/project/model.py", 1, "forward")),),
        events=tuple(events),
        sources={"/home/user/project/model.py": source},
    )
