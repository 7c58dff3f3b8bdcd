"""The language server as an editor meets it."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest

pytest.importorskip("pygls")
types = pytest.importorskip("lsprotocol.types")

from compilescope import store  # noqa: E402
from compilescope.lint import registry  # noqa: E402
from compilescope.model import (  # noqa: E402
    Callable,
    Called,
    Compiled,
    Frame,
    GraphBroke,
    Process,
    Session,
)

BAD = """\
import torch


@torch.compile
def step(x):
    y = torch.relu(x)
    print("😀 loss", y.sum())
    if y.sum() > 0:
        return y
    return -y


step(torch.ones(3))
"""
LINE, COLUMN, END = 6, 4, len(BAD.split("\n")[6])
UTF16 = END + 1  # the emoji counts twice


def codes(diagnostics):
    return [item.code for item in diagnostics]


def only(diagnostics, code):
    (found,) = [item for item in diagnostics if item.code == code]
    return found


def utf16(text):
    return len(text.encode("utf-16-le")) // 2


def test_diagnostics_when_a_file_is_opened_and_as_one_types(in_editor):
    async def conversation(editor):
        editor.open("bad.py", BAD)
        found = await editor.diagnostics("bad.py")
        assert set(codes(found)) == {"CS101", "CS110", "XX101"}
        printed = only(found, "CS110")
        assert printed.range.start == types.Position(LINE, COLUMN)
        assert printed.range.end == types.Position(LINE, UTF16)
        assert printed.source == "compilescope"
        assert printed.severity == types.DiagnosticSeverity.Warning
        assert "print" in printed.message
        version = editor.type("bad.py", BAD.replace('print("😀 loss", y.sum())', "pass"))
        assert codes(await editor.diagnostics("bad.py", version)) == ["CS101"]
        editor.close("bad.py")
        assert await editor.diagnostics("bad.py", None) == ()

    in_editor(conversation)


def test_columns_are_counted_as_the_client_counts(in_editor):
    async def conversation(editor):
        editor.open("bad.py", BAD)
        printed = only(await editor.diagnostics("bad.py"), "CS110")
        assert printed.range.end.character == END + 3

    in_editor(conversation, encodings=[types.PositionEncodingKind.Utf8])


def test_typing_is_looked_at_once_it_pauses(in_editor):
    async def conversation(editor):
        editor.open("bad.py", BAD)
        await editor.diagnostics("bad.py")
        before = editor.count
        for number in range(20):
            version = editor.type("bad.py", f"{BAD}# {number}\n")
        await editor.diagnostics("bad.py", version)
        assert editor.count == before + 1

    in_editor(conversation)


def test_a_text_that_is_no_python_yet_is_left_in_peace(in_editor):
    async def conversation(editor):
        editor.open("bad.py", BAD + "def (\n")
        assert await editor.diagnostics("bad.py") == ()

    in_editor(conversation)


def test_quick_fixes_make_the_edit_of_the_rule(in_editor, edited):
    async def conversation(editor):
        editor.open("bad.py", BAD)
        printed = only(await editor.diagnostics("bad.py"), "XX101")
        actions = await editor.actions("bad.py", printed.range)
        fix, ignore = [item for item in actions if item.title.startswith("XX101: ")]
        assert fix.title == "XX101: guard it with `if not torch.compiler.is_compiling():`"
        assert fix.is_preferred
        assert list(fix.diagnostics) == [printed]
        after = edited(BAD, fix, utf16)
        assert '    if not torch.compiler.is_compiling():\n        print("😀 loss"' in after
        version = editor.type("bad.py", after)
        assert "XX101" not in codes(await editor.diagnostics("bad.py", version))
        assert ignore.title == "XX101: ignore here"
        silenced = editor.type("bad.py", edited(BAD, ignore, utf16))
        assert "XX101" not in codes(await editor.diagnostics("bad.py", silenced))

    in_editor(conversation)


def test_an_unsafe_fix_says_so_and_is_not_preferred(in_editor, edited):
    text = BAD.replace("return -y", "return -y * y.sum().item()")

    async def conversation(editor):
        editor.open("bad.py", text)
        found = only(await editor.diagnostics("bad.py"), "XX102")
        actions = await editor.actions("bad.py", found.range)
        own = [item for item in actions if item.title.startswith("XX102: ")]
        (fix,) = [item for item in own if "may change what the program does" in item.title]
        assert not fix.is_preferred
        assert "return -y * y.sum()\n" in edited(text, fix, utf16)

    in_editor(conversation)


def test_everything_safe_at_once_on_request(in_editor, edited):
    text = BAD.replace("return -y", 'print("é"); return -y * y.sum().item()')

    async def conversation(editor):
        editor.open("bad.py", text)
        printed = (await editor.diagnostics("bad.py"))[0]
        kinds = [types.CodeActionKind.SourceFixAll]
        (action,) = await editor.actions("bad.py", printed.range, kinds)
        assert action.kind == "source.fixAll.compilescope"
        version = editor.type("bad.py", edited(text, action, utf16))
        left = codes(await editor.diagnostics("bad.py", version))
        assert left.count("XX102") == 1
        assert await editor.actions("bad.py", printed.range, [types.CodeActionKind.Refactor]) == ()

    in_editor(conversation)


def test_hover_shows_the_page_of_the_rule(in_editor):
    page = registry.readme(registry.rules()["CS110"])

    async def conversation(editor):
        editor.open("bad.py", BAD)
        hover = await editor.hover("bad.py", LINE, UTF16)
        assert hover.contents.kind == types.MarkupKind.Markdown
        assert hover.contents.value.startswith("**CS110 print-call**")
        assert page in hover.contents.value
        assert await editor.hover("bad.py", 0, 0) is None

    in_editor(conversation)


def test_what_compiles_a_function_may_stand_in_another_file(in_editor, tmp_path):
    model = BAD.replace("@torch.compile\n", "").partition("\n\n\nstep(")[0] + "\n"
    (tmp_path / "pyproject.toml").write_text("[tool.compilescope]\n")
    (tmp_path / "model.py").write_text(model)
    train = "import torch\nfrom model import step\nf = torch.compile(step)\nf(torch.ones(3))\n"

    async def conversation(editor):
        editor.open("model.py", model)
        assert await editor.diagnostics("model.py") == ()
        (tmp_path / "train.py").write_text(train)
        editor.count = 0
        editor.save("model.py")
        while not editor.published[editor.uri("model.py")].diagnostics:
            await editor.news()
        assert "CS110" in codes(await editor.diagnostics("model.py"))

    in_editor(conversation)


def session(path):
    frame = Frame(str(path), LINE + 1, "step", BAD.split("\n")[LINE].strip())
    step = Frame(str(path), 4, "step")
    rest = Frame(str(path), 4, "torch_dynamo_resume_in_step_at_7")
    return Session(
        name="train.py",
        processes=(Process(1),),
        callables=(Callable(0, "step", step),),
        events=(
            Compiled(0, "0/0", step, at=1.0, seconds=0.5),
            GraphBroke(0, "0/0", "Failed to trace builtin operator", frame, gb_id="GB0059"),
            Compiled(0, "1/0", rest, at=2.0, seconds=1.5),
            Called(0, 0, 0, at=0.9, seconds=3.0, compiles=("0/0", "1/0")),
        ),
    )  # fmt: skip


def test_findings_carry_the_cost_of_the_last_run(in_editor, tmp_path):
    home = tmp_path / ".compilescope"
    (tmp_path / "pyproject.toml").write_text("[tool.compilescope]\n")
    (tmp_path / "bad.py").write_text(BAD)
    store.save(session(tmp_path / "bad.py"), home / "run-1.cscope.json.gz")
    (home / "run-0.cscope.json.gz").write_bytes(b"half a ses")

    async def conversation(editor):
        editor.open("bad.py", BAD)
        printed = only(await editor.diagnostics("bad.py"), "CS110")
        assert "met 1 time" in printed.message
        assert "run-1.cscope.json.gz" in printed.message
        hover = await editor.hover("bad.py", LINE, UTF16)
        assert "met 1 time" in hover.contents.value

    in_editor(conversation)


def test_settings_of_the_project_hold(in_editor, tmp_path):
    (tmp_path / "pyproject.toml").write_text('[tool.compilescope]\nignore = ["CS110", "XX"]\n')

    async def conversation(editor):
        editor.open("bad.py", BAD)
        assert codes(await editor.diagnostics("bad.py")) == ["CS101"]

    in_editor(conversation)


def test_excluded_files_are_left_alone(in_editor, tmp_path):
    (tmp_path / "pyproject.toml").write_text('[tool.compilescope]\nextend-exclude = ["old"]\n')
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "bad.py").write_text(BAD)

    async def conversation(editor):
        editor.open("old/bad.py", BAD)
        assert await editor.diagnostics("old/bad.py") == ()

    in_editor(conversation)


def test_a_wrong_configuration_is_told_once(in_editor, tmp_path):
    (tmp_path / "pyproject.toml").write_text('[tool.compilescope]\nselct = ["CS1"]\n')

    async def conversation(editor):
        editor.open("bad.py", BAD)
        while not editor.messages:
            await editor.news()
        editor.type("bad.py", BAD + "#\n")
        assert await editor.hover("bad.py", LINE, UTF16) is None
        (message,) = editor.messages
        assert "unknown key `selct`" in message
        (tmp_path / "pyproject.toml").write_text("[tool.compilescope]\n")
        editor.save("bad.py")
        assert codes(await editor.diagnostics("bad.py", 2))

    in_editor(conversation)


def test_a_cell_of_a_notebook_is_no_file(in_editor):
    async def conversation(editor):
        uri = "vscode-notebook-cell:/a.ipynb#1"
        editor.client.text_document_did_open(
            types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "python", 1, BAD))
        )
        editor.open("bad.py", BAD)
        await editor.diagnostics("bad.py")
        await asyncio.sleep(0.1)
        assert uri not in editor.published

    in_editor(conversation)


def test_without_pygls_it_says_what_to_install(tmp_path):
    (tmp_path / "pygls.py").write_text("raise ImportError('No module named pygls')")
    ran = subprocess.run(
        [sys.executable, "-m", "compilescope", "server"],
        env={"PYTHONPATH": str(tmp_path), "PATH": ""}, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 2
    assert 'hint: pip install "compilescope[server]"' in ran.stderr
