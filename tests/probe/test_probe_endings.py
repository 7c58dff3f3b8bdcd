"""However a program ends: its own exit code and output, and a session that says how it ended."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path

import pytest

from compilescope.probe.session import from_raw

ENDINGS = {
    "returns": ("print('done')", 0, "exited", 0, ""),
    "exits": ("import sys; print('bye'); sys.exit(5)", 5, "exited", 5, ""),
    "exits_with_text": ("raise SystemExit('no such file')", 1, "exited", 1, ""),
    "raises": ("def f():\n    raise ValueError('bad rows')\nf()", 1, "failed", 1, ""),
    "leaves": ("import os; print('x', flush=True); os._exit(3)", 3, "exited", 3, ""),
    "killed": ("import os; os.kill(os.getpid(), 9)", 137, "killed", 137, "SIGKILL"),
    "crashes": (
        "import faulthandler; faulthandler._sigsegv()", 139, "killed", 139, "SIGSEGV",
    ),
    "interrupted": ("raise KeyboardInterrupt", 130, "interrupted", 130, "SIGINT"),
    "aborts": ("import os; os.abort()", 134, "killed", 134, "SIGABRT"),
}  # fmt: skip


@pytest.mark.parametrize("name", ENDINGS)
def test_ending(runner, name):
    text, code, how, recorded, signal_name = ENDINGS[name]
    program = runner.write("program.py", text)
    plain = runner.plain(program)
    probed = runner.probe("-q", program)
    session = probed.session
    assert probed.code == code
    assert plain.code in (code, 128 - code)
    assert (probed.stdout, probed.stderr) == (plain.stdout, plain.stderr)
    assert (session.how, session.code) == (how, recorded)
    assert session.processes[0].signal == signal_name
    assert session.seconds is not None
    assert session.seconds > 0


def test_error_is_named(runner):
    program = runner.write("program.py", "int('x')")
    process = runner.probe(program).session.processes[0]
    assert process.error == "ValueError: invalid literal for int() with base 10: 'x'"


def test_arguments_and_stdin_pass_through(runner):
    program = runner.write("program.py", "import sys; print(sys.argv, sys.stdin.read())")
    arguments = ["--output", "x", "-o", "--", "-q", "--help", ""]
    probed = runner.probe(program, *arguments)
    assert probed.stdout == runner.plain(program, *arguments).stdout
    assert b"a line" in probed.stdout


def test_module_and_command(runner):
    runner.write("package/__init__.py", "")
    runner.write("package/tool.py", "import sys; print(sys.argv[1:], __name__)")
    module = runner.probe("-m", "package.tool", "-x", "--sync")
    assert module.stdout == b"['-x', '--sync'] __main__\n"
    assert module.session.name == "package.tool"
    command = runner.probe("--", "sh", "-c", "echo $0 $1; exit 7", "a", "--b")
    assert (command.code, command.stdout) == (7, b"a --b\n")
    assert command.session.name == "sh"


HANDLER = """
import os, signal, sys, time
# Not print: the signal may come while the line below is still inside its own print.
def told(number, frame):
    os.write(1, b'got %d\\n' % number)
    sys.exit(9)
signal.signal({number}, told)
print('ready', flush=True)
# Short sleeps: a signal just before a sleep is handled after it.
for _ in range(300):
    time.sleep(0.1)
"""


@pytest.mark.parametrize("ignored", [False, True])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGUSR1])
def test_signals_reach_the_program(runner, number, ignored):
    """Also one that is ignored by who started us, as under nohup or in a shell's background."""
    program = runner.write("program.py", HANDLER.format(number=int(number)))
    before = signal.signal(number, signal.SIG_IGN if ignored else signal.SIG_DFL)
    try:
        process = runner.start("-q", program)
    finally:
        signal.signal(number, before)
    assert process.stdout.readline() == b"ready\n"
    process.send_signal(number)
    out, _ = process.communicate(timeout=30)
    assert out == f"got {int(number)}\n".encode()
    assert process.returncode == 9


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_ignored_signals_stay_ignored_in_the_program(runner, number):
    text = f"import os, signal\nos.kill(os.getpid(), {int(number)})\nprint('lives')"
    before = signal.signal(number, signal.SIG_IGN)
    try:
        process = runner.start("-q", runner.write("program.py", text))
    finally:
        signal.signal(number, before)
    assert process.communicate(timeout=30)[0] == b"lives\n"


def test_terminated_program(runner):
    process = runner.start(
        "-q", runner.write("p.py", "print(1, flush=True)\nimport time\ntime.sleep(30)")
    )
    process.stdout.readline()
    process.terminate()
    process.communicate(timeout=30)
    assert process.returncode == 143


def test_launcher_killed(runner):
    """The raw folder remains, and is a session of a run whose end nobody saw."""
    program = runner.write(
        "program.py", "import os, time\nprint(os.getpid(), flush=True)\ntime.sleep(30)"
    )
    process = runner.start("-q", program)
    pid = int(process.stdout.readline())
    raw = next(Path(runner.folder).glob(".out*.raw"))
    deadline = time.monotonic() + 10
    while not (raw / "launch.json").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    process.kill()
    os.kill(pid, signal.SIGKILL)
    process.communicate(timeout=30)
    session = from_raw(raw)
    assert session.how == "unfinished"
    assert session.processes[0].pid == pid
    assert session.name == "program.py"


def test_json_goes_to_stdout_alone(runner):
    program = runner.write("program.py", "print('from the program')")
    probed = runner.probe("--format", "json", program)
    diagnosis = json.loads(probed.stdout)
    assert diagnosis["version"] == 1
    assert probed.stderr.startswith(b"from the program\n")


def test_no_torch_is_a_gap(runner):
    session = runner.probe(runner.write("program.py", "print(1)")).session
    assert [gap.what for gap in session.gaps] == ["no process wrote a record"]
