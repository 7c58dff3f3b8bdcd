"""The name that people know a program by, however it is started."""

from __future__ import annotations

import pytest

from compilescope.probe.arguments import marked, program


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (["torchrun", "--nproc-per-node", "2", "/srv/train.py", "--model", "x.py"], "train.py"),
        (["/usr/bin/python3", "-u", "serve.py"], "serve.py"),
        (["./service", "--port", "80"], "service"),
        (["sh", "-c", "cd /srv && python serve.py"], "sh"),
        (["python.py"], "python.py"),
    ],
)
def test_command_is_known_by_the_script_that_it_runs(command, name):
    parts = marked([], ["--", *command])
    assert program(parts, None) == (tuple(command), name)
