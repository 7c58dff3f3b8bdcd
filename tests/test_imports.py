"""What the quick commands import: a run-time twin of the import contracts."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("torch", "textual", "libcst", "jinja2")


def imported(*arguments: str) -> set[str]:
    code = (
        "import sys; sys.argv = ['compilescope', *sys.argv[1:]]\n"
        "from compilescope.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    out = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True
    )
    return {name.partition(".")[0] for name in out.stderr.split()}


@pytest.mark.parametrize("arguments", [("--help",), ("--version",), ("show", "--help")])
def test_help_imports_nothing_heavy(arguments: tuple[str, ...]):
    assert not imported(*arguments) & {*HEAVY, "rich", "msgspec"}


def test_probe_help_imports_no_torch():
    assert not imported("probe", "--help") & set(HEAVY)
