"""The command line as a whole: unknown words, errors, exit codes."""

from __future__ import annotations

import sys
from types import ModuleType

import click
import pytest

from compilescope import cli
from compilescope.errors import InputError


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["compilescope", *arguments])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    return int(ended.value.code or 0)


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch):
    """Makes the verb `demo` raise what it is given."""

    def install(error: BaseException) -> None:
        @click.command()
        def command() -> None:
            raise error

        module = ModuleType("compilescope.commands.demo")
        module.command = command  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "compilescope.commands.demo", module)
        monkeypatch.setattr(cli, "import_module", lambda _name: module)

    return install


def test_an_unknown_command_names_the_nearest(monkeypatch, capsys):
    assert run(monkeypatch, "prob") == 2
    assert "did you mean `probe`?" in capsys.readouterr().err


def test_an_unknown_option_points_to_help(monkeypatch, capsys):
    assert run(monkeypatch, "show", "--colour") == 2
    err = capsys.readouterr().err
    assert "--colour" in err
    assert "hint: compilescope show --help" in err


def test_a_users_mistake_is_told_without_a_traceback(monkeypatch, capsys, failing):
    failing(InputError("no such thing", cause="it is not there", hint="look elsewhere"))
    assert run(monkeypatch, "demo") == 2
    assert capsys.readouterr().err == (
        "error: no such thing\ncause: it is not there\nhint: look elsewhere\n"
    )


def test_a_defect_of_ours_is_owned(monkeypatch, capsys, failing):
    failing(KeyError("x"))
    assert run(monkeypatch, "demo") == 2
    err = capsys.readouterr().err
    assert "compilescope itself failed (KeyError: 'x')" in err
    assert "Traceback" not in err
    monkeypatch.setenv("COMPILESCOPE_DEBUG", "1")
    monkeypatch.setattr(sys, "argv", ["compilescope", "demo"])
    with pytest.raises(KeyError):
        cli.main()


def test_an_interrupt_ends_with_its_own_code(monkeypatch, failing):
    failing(KeyboardInterrupt())
    assert run(monkeypatch, "demo") == 130
