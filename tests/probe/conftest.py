"""Runs programs with and without the probe."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from compilescope import store
from compilescope.model import Called, Session

# Isolated, so that the customisations of a test reach the program only.
LAUNCH = (sys.executable, "-I", "-m", "compilescope", "probe")


@dataclass
class Ran:
    """What a run left for its user."""

    code: int
    stdout: bytes
    stderr: bytes
    folder: Path

    @property
    def session(self) -> Session:
        """The session that the probe saved."""
        return store.load(self.folder / "out.cscope.json.gz")

    def calls(self, name: str) -> list[Called]:
        """The calls of the first callable of this name in the main process, in order."""
        session = self.session
        number = next(i for i, item in enumerate(session.callables) if item.name == name)
        found = [e for e in session.events if isinstance(e, Called) and e.callable == number]
        return sorted(found, key=lambda call: call.index)


class Runner:
    """Starts processes in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.variables = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("TORCH", "COMPILESCOPE", "PYTHON"))
        }

    def plain(self, *command: str) -> Ran:
        """Run Python without the probe."""
        return self._run([sys.executable, *command])

    def probe(self, *arguments: str) -> Ran:
        """Run `compilescope probe`, the session going to the folder."""
        return self._run([*LAUNCH, "-o", "out.cscope.json.gz", *arguments])

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Start `compilescope probe` and leave it running."""
        return subprocess.Popen(
            [*LAUNCH, "-o", "out.cscope.json.gz", *arguments],
            cwd=self.folder,
            env=self.variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def write(self, name: str, text: str) -> str:
        """A program with this text."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return name

    def _run(self, command: list[str]) -> Ran:
        done = subprocess.run(
            command, cwd=self.folder, env=self.variables, capture_output=True, check=False,
            input=b"a line\n", timeout=120,
        )  # fmt: skip
        return Ran(done.returncode, done.stdout, done.stderr, self.folder)


@pytest.fixture
def runner(tmp_path):
    return Runner(tmp_path)


@pytest.fixture(scope="module")
def shared_runner(tmp_path_factory):
    return Runner(tmp_path_factory.mktemp("run"))
