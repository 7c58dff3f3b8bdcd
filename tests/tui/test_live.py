"""A program that runs while it is watched. These programs need no torch."""

from __future__ import annotations

import asyncio
import time

import pytest

from compilescope import store
from compilescope.tui import live as live_module
from compilescope.tui.screens.leave import LeaveScreen

SHORT = "print('hello', flush=True)\nraise SystemExit(3)\n"
LONG = "import time\nprint('begun', flush=True)\ntime.sleep(60)\n"


@pytest.fixture
def begin(tmp_path):
    started = []

    def start(text):
        script = tmp_path / "program.py"
        script.write_text(text)
        output = tmp_path / "out" / f"run{store.SUFFIX}"
        live = live_module.start((str(script),), "program.py", output=output)
        started.append(live)
        return live

    yield start
    for live in started:
        live.recorder.kill()
        live.recorder.wait()


async def until(stage, condition, patience=90.0):
    end = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < end, "\n".join(stage.lines())
        await stage.pilot.pause(0.05)


def test_a_short_program_ends_saved_with_its_output_in_a_pane(play, begin):
    live = begin(SHORT)

    async def scene(stage):
        await until(stage, lambda: live._over)
        await stage.press("p")
        assert stage.screen.at.active == "p"
        assert stage.screen.query_one("#output").size.height > 5
        shown = "\n".join(stage.lines())
        assert "hello" in shown
        assert "What the program prints is kept in out/run.out.txt" in " ".join(shown.split())
        await stage.press("1")
        assert stage.grid.has_focus
        assert stage.screen.at.opened.session.code == 3
        assert "● live" not in stage.text("#title")
        await stage.press("q")
        assert not stage.app.is_running, "a program that has ended asks nothing"

    play(scene, live=live)
    assert live.wait() == 3
    assert live.log.read_text() == "hello\n"
    assert store.load(live.output).name == "program.py"


def test_leaving_asks_and_can_keep_it_running(play, begin):
    live = begin(LONG)

    async def scene(stage):
        await until(stage, lambda: "begun" in live.lines and live.raw is not None)
        await stage.press("q")
        assert isinstance(stage.screen, LeaveScreen)
        await stage.press("escape")
        assert not isinstance(stage.screen, LeaveScreen)
        await stage.press("q", "k")
        assert not stage.app.is_running

    play(scene, live=live)
    assert live.recorder.poll() is None
    assert live.wait() is None
    again = live_module.attach(live.raw)
    assert (again.output, again.log) == (live.output, live.log)
    live.log.rename(live.log.with_name("elsewhere.txt"))
    assert live_module.attach(live.raw).log is None


def test_leaving_can_stop_it_and_saves_what_was_recorded(play, begin):
    live = begin(LONG)

    async def scene(stage):
        await until(stage, lambda: "begun" in live.lines)
        await stage.press("q", "s")
        assert not stage.app.is_running

    play(scene, live=live)
    assert live.wait() == 130
    assert store.load(live.output).how == "interrupted"


def test_pausing_the_view_does_not_pause_the_program(play, begin):
    live = begin("import time\nfor i in range(400):\n    print(i, flush=True); time.sleep(0.05)\n")

    async def scene(stage):
        await until(stage, lambda: live.raw is not None and stage.screen.at.opened is not None)
        await stage.press("space")
        assert stage.screen.paused
        assert "❚❚ paused" in stage.text("#title")
        opened, printed = stage.screen.at.opened, len(live.log.read_text())
        await stage.pilot.pause(1.5)
        assert stage.screen.at.opened is opened
        assert len(live.log.read_text()) > printed
        await stage.press("space")
        assert "● live" in stage.text("#title")

    play(scene, live=live)


def test_a_program_that_cannot_start_says_why(play, begin, tmp_path):
    live = live_module.start(("absent.py",), "absent.py", output=tmp_path / f"x{store.SUFFIX}")

    async def scene(stage):
        await until(stage, lambda: live._over)
        assert "nothing was recorded" in stage.text("#verdict")
        assert "absent.py does not exist" in stage.detail.text

    play(scene, live=live)
    assert live.wait() == 2


def test_progress_bars_and_colours_are_reduced_to_lines():
    live = live_module.Live(output=None)
    written = []

    class Pane:
        def query_one(self, _):
            return self

        def write(self, text):
            written.append(text.plain)

    live._screen = Pane()
    live._write("1%\r50%\r100%\n\x1b[31mred\x1b[0m\nhal")
    live._write("f\r\n")
    assert written == ["100%", "red", "half"]


@pytest.mark.torch
@pytest.mark.slow
def test_causes_appear_while_torch_runs(play, begin):
    live = begin(
        "import time, torch\n"
        "f = torch.compile(lambda x, n: x * n, backend='eager')\n"
        "for n in range(6):\n"
        "    f(torch.ones(2), n + 0.5); time.sleep(0.4)\n"
        "time.sleep(2)\n"
    )

    async def scene(stage):
        def found():
            opened = stage.screen.at.opened
            return opened is not None and opened.diagnosis.counts.recompiles > 0

        await until(stage, found, patience=90)
        assert live.is_running()
        await until(stage, lambda: live._over, patience=90)
        assert stage.column(0)[0] == "A"
        assert stage.screen.at.opened.session.how == "exited"

    play(scene, live=live)
    asyncio.run(asyncio.sleep(0))
