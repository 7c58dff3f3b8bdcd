"""Every example of the README is run: a block that no test here or in test_readme knows fails.

Real trainers are in tests/integrations, a real editor's protocol in tests/server, and the steps of
the workflow in tests/gate/test_kept_fixed.py.
"""

from __future__ import annotations

import ast
import inspect
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import click
import pytest

from compilescope.cli import cli

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parent.parent
PROJECT = ROOT / "tests" / "examples" / "project"
FENCED = re.compile(
    r"(?:<!-- (?P<mark>run|file): [^\n]+ -->\n)?^```(?P<language>\w+)\n(?P<text>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)


class Block(NamedTuple):
    language: str
    text: str


def blocks(*languages):
    found = FENCED.finditer((ROOT / "README.md").read_text())
    return [
        Block(m["language"], m["text"])
        for m in found
        if not m["mark"] and m["language"] in languages
    ]


def block(language, begin):
    (found,) = [item for item in blocks(language) if item.text.startswith(begin)]
    return found.text


def commands(text):
    """The compilescope command lines in a block, without comments, prompts and what is printed."""
    lines = text.splitlines()
    for line in [line for line in lines if line.startswith("$ ")] or lines:
        for part in re.split(r"[;&|]+", line.split("  #")[0]):
            words = shlex.split(re.sub(r"^\$ ", "", part.strip()).replace("<date>", "date"))
            if words and os.path.basename(words[0]) == "compilescope":
                yield words[1:]


def run(words, folder, **variables):
    return subprocess.run(
        words, cwd=folder, capture_output=True, text=True, check=False, timeout=300,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "NO_COLOR": "1", **variables},
    )  # fmt: skip


def python(text, folder):
    done = run([sys.executable, "-c", text], folder, PYTHONPATH=str(folder))
    assert done.returncode == 0, done.stderr


@pytest.fixture
def project(tmp_path):
    shutil.copytree(PROJECT, tmp_path, dirs_exist_ok=True)
    return tmp_path


def test_every_block_has_a_test():
    known = {
        "bash": ("python3 -m venv", "compilescope probe train.py", "TORCH_LOGS="),
        "console": ("$ compilescope ",),
        "toml": ("[tool.compilescope", "[language-server.compilescope]", "[arguments.ids]"),
        "lua": ("vim.lsp.config",),
        "python": (
            "with compilescope.watch()",
            "from compilescope.integrations.",
            "from compilescope import mitigations",
        ),
        "text": ("source ──lint──▶ Finding",),
        "yaml": (),
    }
    every = blocks("bash", "console", "toml", "lua", "python", "text", "yaml", "json", "diff")
    for item in every:
        assert item.text.startswith(known.get(item.language, ())), item.text
    whole = (ROOT / "README.md").read_text()
    assert len(every) + len(re.findall(r"<!-- (?:run|file): ", whole)) >= whole.count("\n```") // 2


@pytest.mark.parametrize(
    "words", [w for b in blocks("bash", "console") for w in commands(b.text)], ids=" ".join
)
def test_commands_have_the_options_that_are_shown(words):
    verb = cli.get_command(click.Context(cli), words[0])
    verb.make_context(words[0], list(words[1:]), resilient_parsing=False)


@pytest.mark.torch
def test_probe_and_show(project):
    pytest.importorskip("torch")
    first, second = commands(block("bash", "compilescope probe"))
    cli = [sys.executable, "-m", "compilescope"]
    assert run([*cli, *first], project).returncode == 0
    (saved,) = project.glob(second[-1].replace("date", "*"))
    shown = run([*cli, second[0], str(saved)], project)
    assert "Nothing to fix" in shown.stdout, shown.stderr


@pytest.mark.torch
def test_logs(project):
    pytest.importorskip("torch")
    shell = shutil.which("bash")
    if shell is None:
        pytest.skip("no bash")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for line in block("bash", "TORCH_LOGS=").splitlines():
        done = run([shell, "-c", line], project, PATH=path)
        told = done.stdout + done.stderr
        # A run without a recompile or break writes no text; the trace has the graph.
        expected = "1 graph" if line.startswith("TORCH_TRACE") else "log.txt"
        assert expected in told, told


def test_limits_and_editors_are_toml():
    helix = tomllib.loads(block("toml", "[language-server.compilescope]"))
    server = helix["language-server"]["compilescope"]
    assert (server["command"], server["args"]) == ("compilescope", ["server"])
    assert "compilescope" in helix["language"][0]["language-servers"]
    assert 'cmd = { "compilescope", "server" }' in block("lua", "vim.lsp")


@pytest.mark.torch
def test_watch(project):
    pytest.importorskip("torch")
    text = block("python", "with compilescope.watch()")
    before = "import compilescope, torch\nfrom model import step\nbatches = [torch.ones(4)] * 4\n"
    python(before + text, project)


@pytest.mark.parametrize("name", ["transformers", "lightning"])
def test_trainers(tmp_path, name):
    """With stand-ins for the packages: what the lines use of ours is there."""
    (tmp_path / "transformers.py").write_text("class TrainerCallback: pass\n")
    (tmp_path / "lightning/pytorch").mkdir(parents=True)
    (tmp_path / "lightning/__init__.py").touch()
    (tmp_path / "lightning/pytorch/__init__.py").touch()
    (tmp_path / "lightning/pytorch/callbacks.py").write_text("class Callback: pass\n")
    before = (
        "from types import SimpleNamespace as Trainer\n"
        "trainer = Trainer(callback_handler=Trainer(callbacks=[]))\n"
    )
    python(before + block("python", f"from compilescope.integrations.{name}"), tmp_path)


@pytest.mark.torch
def test_mitigations_take_what_is_shown():
    """The calls fit the functions; each function is run in tests/mitigations."""
    pytest.importorskip("torch")
    from compilescope import mitigations

    shown = ast.parse(block("python", "from compilescope import mitigations"))
    calls = [
        node for node in ast.walk(shown)
        if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("mitigations.")
    ]  # fmt: skip
    assert len(calls) >= 5
    for call in calls:
        function = getattr(mitigations, call.func.attr)
        named = {one.arg: None for one in call.keywords}
        inspect.signature(function).bind(*([None] * len(call.args)), **named)


def test_the_spec_of_a_forecast_is_read(tmp_path):
    from compilescope.forecast.spec import read_spec

    path = tmp_path / "spec.toml"
    path.write_text(block("toml", "[arguments."))
    named = {"ids", "batch['mask']", "temperature", "layers", "batch"}
    assert set(read_spec(path)["arguments"]) == named
