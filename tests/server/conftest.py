"""A real client of the protocol, talking to `compilescope server` over stdio."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

types = pytest.importorskip("lsprotocol.types")
pytest.importorskip("pygls")


# A pack of a third party, with a rule of each sort of fix.
RULES = """
from compilescope.lint.rule import Report, Rule

class Shout(Rule):
    code, name, summary = "XX101", "shout", "a print that can be guarded"
    facts = ("call:builtins.print",)
    help = "guard it with `if not torch.compiler.is_compiling():`"
    fixable = "safe"

    def check(self, fact, target):
        yield Report("`print` shouts", fix="safe")

    def fix(self, correction):
        test = f"not {correction.name('torch.compiler.is_compiling')}()"
        correction.guard(correction.statement(), test)

class Item(Rule):
    code, name, summary = "XX102", "taken-item", "an item that can be left"
    facts = ("call:torch.Tensor.item",)
    fixable = "unsafe"

    def check(self, fact, target):
        yield Report("`.item()` is taken", fix="unsafe")

    def fix(self, correction):
        correction.replace(correction.node, correction.text(correction.node.func.value))
"""


def _install_pack(folder: Path) -> None:
    (folder / "pack" / "shout").mkdir(parents=True)
    (folder / "pack" / "__init__.py").touch()
    (folder / "pack" / "shout" / "rule.py").write_text(RULES)
    about = folder / "pack-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: pack\nVersion: 1\n")
    (about / "entry_points.txt").write_text("[compilescope.rules]\npack = pack\n")


class Editor:
    """An editor as small as one can be: it opens, types, asks, and keeps what it is told."""

    def __init__(self, folder: Path, packs: Path) -> None:
        from pygls.lsp.client import LanguageClient

        self.folder, self.packs = folder, packs
        self.client = LanguageClient("test", "1")
        self.published: dict[str, object] = {}
        self.messages: list[str] = []
        self.count = 0
        self._news = asyncio.Event()
        self._versions: dict[str, int] = {}

        @self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def published(params):
            self.published[params.uri] = params
            self.count += 1
            self._news.set()

        @self.client.feature(types.WINDOW_SHOW_MESSAGE)
        def message(params):
            self.messages.append(params.message)
            self._news.set()

    async def start(self, *arguments: str, encodings=None) -> None:
        command = (sys.executable, "-m", "compilescope", "server", *arguments)
        await self.client.start_io(*command, env={**os.environ, "PYTHONPATH": str(self.packs)})
        capabilities = types.ClientCapabilities(
            general=types.GeneralClientCapabilities(position_encodings=encodings)
        )
        self.served = await self.client.initialize_async(
            types.InitializeParams(capabilities=capabilities, root_uri=self.folder.as_uri())
        )
        self.client.initialized(types.InitializedParams())

    async def stop(self) -> None:
        await self.client.shutdown_async(None)
        self.client.exit(None)
        await self.client.stop()

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    def open(self, name: str, text: str) -> None:
        uri = self.uri(name)
        self._versions[uri] = 1
        self.client.text_document_did_open(
            types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "python", 1, text))
        )

    def type(self, name: str, text: str) -> int:
        uri = self.uri(name)
        self._versions[uri] += 1
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(self._versions[uri], uri),
                [types.TextDocumentContentChangeWholeDocument(text)],
            )
        )
        return self._versions[uri]

    def save(self, name: str) -> None:
        identifier = types.TextDocumentIdentifier(self.uri(name))
        self.client.text_document_did_save(types.DidSaveTextDocumentParams(identifier))

    def close(self, name: str) -> None:
        identifier = types.TextDocumentIdentifier(self.uri(name))
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(identifier))

    async def diagnostics(self, name: str, version: int | None = 1):
        """Those of this version of the file, waited for."""
        while True:
            found = self.published.get(self.uri(name))
            if found is not None and found.version == version:
                return found.diagnostics
            await self.news()

    async def news(self) -> None:
        self._news.clear()
        await asyncio.wait_for(self._news.wait(), 60)

    async def hover(self, name: str, line: int, character: int):
        return await self.client.text_document_hover_async(
            types.HoverParams(
                types.TextDocumentIdentifier(self.uri(name)), types.Position(line, character)
            )
        )

    async def actions(self, name: str, where, only=None):
        return await self.client.text_document_code_action_async(
            types.CodeActionParams(
                types.TextDocumentIdentifier(self.uri(name)),
                where,
                types.CodeActionContext([], only),
            )
        )


@pytest.fixture
def edited():
    return _edited


def _edited(text: str, action, units=len) -> str:
    """`text` after the edits of `action`; `units` measures text as the client counts columns."""
    (change,) = action.edit.document_changes
    lines = text.splitlines(keepends=True)

    def offset(position):
        line = lines[position.line] if position.line < len(lines) else ""
        inside = next(i for i in range(len(line) + 1) if units(line[:i]) == position.character)
        return sum(map(len, lines[: position.line])) + inside

    spans = [(offset(e.range.start), offset(e.range.end), e.new_text) for e in change.edits]
    for start, end, new in sorted(spans, reverse=True):
        text = text[:start] + new + text[end:]
    return text


@pytest.fixture
def in_editor(tmp_path, tmp_path_factory):
    """Runs a conversation with a fresh server."""
    packs = tmp_path_factory.mktemp("packs")
    _install_pack(packs)

    def run(conversation, *arguments, encodings=None):
        async def whole():
            editor = Editor(tmp_path, packs)
            await editor.start(*arguments, encodings=encodings)
            try:
                await conversation(editor)
            finally:
                await editor.stop()

        asyncio.run(whole())

    return run
