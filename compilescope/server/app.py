"""The server: what the editor says, and what it is told."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from inspect import iscoroutinefunction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from compilescope import __version__
from compilescope.errors import CompilescopeError
from compilescope.server.answers import FIX_ALL, Answers
from compilescope.server.project import Linted, Projects

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

DELAY = 0.2  # seconds without a key before the text is looked at


class Server:
    """Lints open files and answers from what it found."""

    def __init__(self, session: Path | None = None, delay: float = DELAY) -> None:
        self.protocol = LanguageServer("compilescope", __version__)
        self._projects = Projects(session)
        self._delay = delay
        self._waiting: dict[str, asyncio.Task[None]] = {}
        self._known: dict[str, tuple[Answers, Linted]] = {}
        self._told: set[str] = set()  # errors of the configuration, each shown once
        # One at a time: a second pass over a text that is old already would only delay the new.
        self._worker = ThreadPoolExecutor(1, "lint")
        self._subscribe()

    def run(self) -> None:
        """Talk over stdin and stdout until the editor leaves."""
        try:
            self.protocol.start_io()
        finally:
            self._worker.shutdown(cancel_futures=True)
            self._projects.close()

    def _subscribe(self) -> None:
        kinds: list[types.CodeActionKind | str] = [types.CodeActionKind.QuickFix, FIX_ALL]
        options = types.CodeActionOptions(code_action_kinds=kinds)
        self._on(types.TEXT_DOCUMENT_DID_OPEN, self._opened)
        self._on(types.TEXT_DOCUMENT_DID_CHANGE, self._changed)
        self._on(types.TEXT_DOCUMENT_DID_SAVE, self._saved)
        self._on(types.TEXT_DOCUMENT_DID_CLOSE, self._closed)
        self._on(types.TEXT_DOCUMENT_HOVER, self._hover)
        self._on(types.TEXT_DOCUMENT_CODE_ACTION, self._actions, options)

    def _on(self, feature: str, answer: Callable[[Any], Any], options: Any = None) -> None:
        # pygls marks what it is given, which a bound method does not allow.
        if iscoroutinefunction(answer):

            async def asynchronous(params: Any) -> Any:
                return await answer(params)

            self.protocol.feature(feature, options)(asynchronous)
        else:

            def direct(params: Any) -> Any:
                return answer(params)

            self.protocol.feature(feature, options)(direct)

    def _opened(self, params: types.DidOpenTextDocumentParams) -> None:
        self._look(params.text_document.uri, 0.0)

    def _changed(self, params: types.DidChangeTextDocumentParams) -> None:
        self._look(params.text_document.uri, self._delay)

    def _saved(self, params: types.DidSaveTextDocumentParams) -> None:
        # What another file says about this one, and the last run, may be new.
        self._known.clear()
        for uri in (params.text_document.uri, *self.protocol.workspace.text_documents):
            self._look(uri, 0.0)

    def _closed(self, params: types.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        self._known.pop(uri, None)
        task = self._waiting.pop(uri, None)
        if task is not None:
            task.cancel()
        self.protocol.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    async def _hover(self, params: types.HoverParams) -> types.Hover | None:
        known = await self._answers(params.text_document.uri)
        return known[0].hover(params.position) if known else None

    async def _actions(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        known = await self._answers(params.text_document.uri)
        if known is None:
            return []
        answers, linted = known
        wanted = params.context.only
        actions = answers.actions(params.range) if _wants(wanted, "quickfix") else []
        if _wants(wanted, FIX_ALL) and any(f.fix == "safe" for f in linted.findings):
            after = await self._in_worker(self._projects.corrected, linted)
            if after != linted.source.text:
                actions.append(answers.fix_all(after))
        return actions

    def _look(self, uri: str, delay: float) -> None:
        earlier = self._waiting.pop(uri, None)
        if earlier is not None:
            earlier.cancel()
        self._waiting[uri] = asyncio.get_running_loop().create_task(self._publish(uri, delay))

    async def _publish(self, uri: str, delay: float) -> None:
        await asyncio.sleep(delay)
        known = await self._answers(uri)
        if known is not None:
            answers = known[0]
            self.protocol.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(uri, answers.diagnostics(), answers.version)
            )

    async def _answers(self, uri: str) -> tuple[Answers, Linted] | None:
        """What is known of the text as it is now; None where it is no file, or no longer open."""
        while (document := self.protocol.workspace.text_documents.get(uri)) is not None:
            version = document.version or 0
            known = self._known.get(uri)
            if known is not None and known[0].version == version:
                return known
            path = _path(uri)
            if path is None:
                return None
            try:
                linted = await self._in_worker(self._projects.lint, path, self._texts())
            except CompilescopeError as error:
                self._tell(str(error))
                return None
            codec = self.protocol.workspace.position_codec
            self._known[uri] = (Answers(linted, uri, version, codec), linted)
        return None

    def _texts(self) -> dict[Path, str]:
        documents = self.protocol.workspace.text_documents
        found = ((_path(uri), document) for uri, document in documents.items())
        return {path: document.source for path, document in found if path is not None}

    async def _in_worker(self, function: Any, *arguments: Any) -> Any:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._worker, function, *arguments)

    def _tell(self, text: str) -> None:
        if text not in self._told:
            self._told.add(text)
            message = types.ShowMessageParams(types.MessageType.Error, f"compilescope: {text}")
            self.protocol.window_show_message(message)


def _path(uri: str) -> Path | None:
    """The file behind `uri`; None for what is none, such as a cell of a notebook."""
    if not uri.startswith("file:"):
        return None
    path = to_fs_path(uri)
    return Path(path) if path else None


def _wants(only: Sequence[Any] | None, kind: str) -> bool:
    """Whether the editor asked for this kind: it names kinds by their beginnings, or none."""
    if not only:
        return kind == "quickfix"
    names = [str(getattr(item, "value", item)) for item in only]
    return any(kind == name or kind.startswith(f"{name}.") for name in names)
