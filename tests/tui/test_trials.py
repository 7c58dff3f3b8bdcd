"""Remedies tried from inside: the question, the trials as they come, stopping, what cannot run."""

from __future__ import annotations

import os
import sys
import time

import msgspec
import pytest

from compilescope import store
from compilescope.diagnose import diagnose
from compilescope.errors import ProgramError
from compilescope.model import (
    Called,
    CallStrip,
    Environment,
    Frame,
    GuardFailure,
    Proof,
    Recompiled,
    Session,
)
from compilescope.tui import trials as trials_module
from compilescope.tui.program import program_of
from compilescope.tui.screens import remedying
from compilescope.tui.screens.ask import Ask
from compilescope.tui.sources import open_session
from compilescope.tui.tried import News, Tried, of_result
from compilescope.tui.views.trials import summary
from compilescope.tuning import Applied, Measures, Patch, Trial, Tuning

REASON = GuardFailure("tensor.size", "tensor 'x' size mismatch at index 0. expected 4, actual 5",
                      "x", 0, "4", "5", "0/0")  # fmt: skip


def recompiled(folder, text="print('ran')\n", **fields):
    """A session with one cause, whose program is at hand."""
    script = folder / "train.py"
    script.write_text(text)
    frame = Frame(str(script), 1, "step")
    session = Session(
        name="train.py",
        command=(sys.executable, "train.py"),
        seconds=2.0,
        how="exited",
        events=(Recompiled(0, "0/1", frame, reasons=(REASON,)),),
        sources={str(script): {1: text.splitlines()[0]}},
    )
    path = folder / ".compilescope" / f"train{store.SUFFIX}"
    store.save(msgspec.structs.replace(session, **fields), path)
    return path


def trial(number, outcome, recompiles, left=(), **fields):
    remedies = (Applied("mark_dynamic", f"mark_dynamic(x, {number})", "none", ("c",)),)
    measures = Measures(calls=9, recompiles=recompiles, worst=0.5, steady=0.01, rss=10**8)
    kept = remedies if number else ()
    return Trial(number, kept, measures, outcome, left=left, outputs="agree", **fields)


def strip(*seconds):
    return CallStrip("step", len(seconds), seconds)


class Scripted(trials_module.Trials):
    """Trials that say what a test wants, and start nothing."""

    def __init__(self, program, path, causes, runs):
        self.program, self.path, self.runs = program, path, runs
        self.tried, self.proofs = Tried(causes, running=True), ()
        self.news, self.stopped = [], 0

    def look(self):
        news, self.news = self.news, []
        for one in news:
            self.tried = self.tried.after(one)
            self.proofs = one.proofs or self.proofs
        return bool(news)

    def stop(self):
        self.stopped += 1

    def close(self):
        pass


@pytest.fixture
def scripted(monkeypatch):
    monkeypatch.setattr(remedying, "Trials", Scripted)


async def until(stage, condition, patience=90.0):
    end = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < end, "\n".join(stage.lines())
        await stage.pilot.pause(0.05)


def gone(pid, patience=30.0):
    """Whether a process ends; a parent that is not ours may take a moment to notice."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


def test_the_question_names_what_is_run_and_esc_runs_nothing(play, tmp_path, scripted):
    async def scene(stage):
        await stage.press("v")
        assert isinstance(stage.screen, Ask)
        assert f"runs     {sys.executable} train.py" in stage.screen.text
        assert f"in       {tmp_path}" in stage.screen.text
        await stage.press("j", "escape")
        assert stage.screen.at.active == "1"
        assert stage.app.trials is None

    play(scene, recompiled(tmp_path))


def test_trials_appear_as_they_end_and_the_proof_stands_at_the_cause(play, tmp_path, scripted):
    path = recompiled(tmp_path)
    (cause,) = diagnose(store.load(path)).causes
    remedy = cause.remedies[0].id

    async def scene(stage):
        await stage.press("v", "enter")
        trials = stage.app.trials
        assert trials.tried.causes == (cause.id,)
        assert stage.screen.at.active == "v"
        assert stage.column(0) == ["… running"]
        trials.news = [News(trial=trial(0, "baseline", 4), calls=(1.0, 0.1)), News(begins="next")]
        await until(stage, lambda: len(stage.grid.rows) == 2)
        assert stage.column(0) == ["· as it is", "… running"]
        assert stage.grid.item == "next", "the row that runs stays selected"
        best = trial(1, "solved", 0)
        trials.news = [News(trial=best, calls=(0.1, 0.1))]
        await until(stage, lambda: len(stage.grid.rows) == 3)
        patch = Patch("--- a/train.py\n+++ b/train.py\n", verified=True, why="Verified: a run")
        tuning = Tuning("train.py", (), Environment(), trial(0, "baseline", 4), (best,), 1, patch)
        proof = Proof(remedy, cause.id, "verified: 4 to 0", strip(1.0, 0.1), strip(0.1, 0.1))
        trials.news = [News(tuning=tuning, proofs=(proof,))]
        await until(stage, lambda: not trials.tried.running)
        await stage.settle()
        assert stage.column(0) == ["· as it is", "✓ solved *"]
        assert stage.column(1) == ["4", "0"]
        assert "1 trial: 4 recompiles to 0, mark_dynamic(x, 1)" in stage.notices
        assert stage.grid.cursor == 1, "the best is looked at in the end"
        for word in ("before  █▁", "after   ▁▁", "recompiles               4           0",
                     "Outputs: agree", "Verified: a run"):  # fmt: skip
            assert word in stage.detail.text
        await stage.press("1")
        for words in ("Proof: verified: 4 to 0", "before  █▁", "after   ▁▁"):
            assert words in stage.detail.text
        await stage.press("v")
        assert "v" in stage.screen.answers
        await stage.press("v")
        assert stage.screen.at.active == "v"

    play(scene, path, size=(120, 40))


def test_stopping_and_leaving_while_they_run(play, tmp_path, scripted):
    async def scene(stage):
        await stage.press("x")
        assert "no trials are running" in stage.notices
        await stage.press("v", "enter", "x")
        assert stage.app.trials.stopped == 1
        await stage.press("1", "v")
        assert stage.screen.at.active == "v", "while they run the key shows them"
        await stage.press("v")
        assert "trials are running: x stops them" in stage.notices
        await stage.press("q")
        assert isinstance(stage.screen, Ask)
        await stage.press("escape")
        assert stage.app.is_running
        await stage.press("q", "s")
        assert not stage.app.is_running

    play(scene, recompiled(tmp_path))


def test_real_trials_of_a_program_that_does_not_recompile(play, tmp_path):
    path = recompiled(tmp_path)

    async def scene(stage):
        await stage.press("v", "enter")
        folders.append(stage.app.trials.folder)
        await until(stage, lambda: not stage.app.trials.tried.running)
        await stage.settle()
        assert stage.screen.at.tried.baseline.measures.recompiles == 0
        assert "0 trials: this run does not have the cause" in stage.notices

    folders = []
    play(scene, path)
    assert not folders[0].exists()
    kept = path.with_name("train-tuned.json")
    assert msgspec.json.decode(kept.read_bytes(), type=Tuning).name == "train.py"
    assert open_session(path.with_name(f"train-tuned{store.SUFFIX}")).tuning is not None


def test_real_trials_are_stopped_with_their_program(play, tmp_path):
    text = "import os, time\nopen('pid', 'w').write(str(os.getpid()))\ntime.sleep(600)\n"
    path = recompiled(tmp_path, text)

    async def scene(stage):
        await stage.press("v", "enter")
        await until(stage, lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text())
        await stage.press("x")
        await until(stage, lambda: not stage.app.trials.tried.running)
        assert "stopped before the program had run once" in "\n".join(stage.lines())
        await stage.press("q")

    play(scene, path)
    assert gone(int((tmp_path / "pid").read_text()))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"source": "logs", "command": ()}, "does not know its program"),
        ({"command": ()}, "does not know its program"),
        ({"command": ("/no/such/python3", "train.py")}, "/no/such/python3 is not on this machine"),
        ({"command": (sys.executable, "gone.py")}, "gone.py is gone"),
    ],
)
def test_what_cannot_be_run_again_is_refused(play, tmp_path, change, message):
    async def scene(stage):
        await stage.press("v")
        assert not isinstance(stage.screen, Ask)
        assert any(message in text for text in stage.notices)

    play(scene, recompiled(tmp_path, **change))


def test_where_a_program_was_started(tmp_path, monkeypatch):
    path = recompiled(tmp_path)
    session = store.load(path)
    monkeypatch.chdir("/")
    assert program_of(session, path).folder == tmp_path
    moved = tmp_path / "elsewhere" / path.name
    assert program_of(session, moved).folder == tmp_path, "the recorded lines say where"
    blind = msgspec.structs.replace(session, sources={})
    with pytest.raises(ProgramError, match=r"train\.py is gone"):
        program_of(blind, moved)
    module = msgspec.structs.replace(blind, command=(sys.executable, "-m", "train"))
    assert program_of(module, path).folder == tmp_path


def test_the_result_beside_a_session_is_shown(play, tmp_path):
    path = recompiled(tmp_path)
    tuned = path.with_name(f"train-tuned{store.SUFFIX}")
    path.rename(tuned)
    tuning = Tuning("train.py", (), Environment(), trial(0, "baseline", 2), (trial(1, "wrong", 0),))
    path.with_name("train-tuned.json").write_bytes(msgspec.json.encode(tuning))

    async def scene(stage):
        assert stage.screen.at.tried == of_result(tuning)
        (tabs,) = [line for line in stage.lines() if "1 Causes" in line]
        await stage.pilot.click("#tabs", offset=(tabs.index("v Tri"), 0))
        await stage.settle()
        assert stage.column(0) == ["· as it is", "✗ wrong"]

    play(scene, tuned)


def test_a_summary_of_nothing():
    assert summary(Tried(error="the disk is full")) == "the disk is full"
    tuning = Tuning("a", (), Environment(), trial(0, "baseline", 1))
    assert summary(of_result(tuning)) == "0 trials: no remedy helped"


def test_calls_make_a_session_steady():
    """The strip of a trial is what a test above relies on."""
    from compilescope.tui import trials_child

    events = tuple(Called(0, 0, at, float(at), 0.1 if at % 7 else 2.0) for at in range(120))
    values = trials_child.strip(diagnose(Session(events=events)))
    assert len(values) == 60
    assert max(values) == 2.0


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_trials_that_do_not_listen_are_ended(tmp_path):
    text = (
        "import os, signal, time\n"
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "open('pid', 'w').write(str(os.getpid()))\n"
        "time.sleep(600)\n"
    )
    path = recompiled(tmp_path, text)
    program = program_of(store.load(path), path)
    trials = trials_module.Trials(program, path, (), 3)
    try:
        end = time.monotonic() + 90
        while not ((tmp_path / "pid").exists() and (tmp_path / "pid").read_text()):
            assert time.monotonic() < end
            time.sleep(0.05)
        trials.stop()
        trials.stop()
        trials.process.wait(30)
        trials.look()
        assert "the trials ended early" in trials.tried.error
    finally:
        trials.close()
    assert gone(int((tmp_path / "pid").read_text()))
    assert not trials.folder.exists()


def test_trials_go_on_while_another_session_is_looked_at(play, tmp_path, scripted):
    path = recompiled(tmp_path)
    store.save(Session(name="other.py"), path.with_name(f"other{store.SUFFIX}"))

    async def scene(stage):
        stage.grid.move(stage.column(2).index("train.py"))
        await stage.press("enter", "v", "enter")
        stage.app.trials.news = [News(trial=trial(0, "baseline", 4))]
        await until(stage, lambda: len(stage.grid.rows) == 2)
        await stage.press("l")
        stage.grid.move(stage.column(2).index("other.py"))
        await stage.press("enter", "v")
        assert "trials are running: x stops them" in stage.notices
        await stage.press("l")
        stage.grid.move(stage.column(2).index("train.py"))
        await stage.press("enter")
        await until(stage, lambda: stage.screen.at.tried is not None)
        await stage.press("v")
        assert stage.column(0) == ["· as it is", "… running"]

    play(scene, path.parent)


def test_a_result_is_shown_with_the_session_that_it_is_for_until_that_is_recorded_anew(tmp_path):
    path = recompiled(tmp_path)
    tuning = Tuning("train.py", (), Environment(), trial(0, "baseline", 2))
    result = path.with_name("train-tuned.json")
    result.write_bytes(msgspec.json.encode(tuning))
    assert open_session(path).tuning == tuning
    os.utime(result, (1, 1))
    assert open_session(path).tuning is None
    result.write_text("half")
    assert open_session(path).tuning is None
