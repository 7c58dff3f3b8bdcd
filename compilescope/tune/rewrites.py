"""Changes of the source that no overlay can stand in for: a trial runs the changed text itself."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import libcst as cst
from libcst import matchers
from libcst.metadata import MetadataWrapper, PositionProvider

from compilescope.tune.source_edits import CannotEditError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from compilescope.lint.check import Analysis
    from compilescope.lint.settings import Settings
    from compilescope.model import Finding
    from compilescope.tune.remedy import Candidate, Entry


_LEAVES = (
    matchers.Return() | matchers.Break() | matchers.Continue() | matchers.Raise() | matchers.Yield()
)


def rewrite(text: str, entry: Entry) -> str:
    """`text` with the rewrite that `entry` asks for.

    Raises:
        CannotEditError: it cannot be made here.
    """
    content = entry.content
    if content["do"] == "drop_if":
        return without_shortcut(text, content["line"])
    if content["do"] == "unwrap_if":
        return without_condition(text, content["line"])
    return corrected(text, Path(content["path"]), content["code"], content["function"])


def texts(candidates: Iterable[Candidate]) -> tuple[dict[str, str], list[str]]:
    """The changed files of `candidates` by path, and what could not be changed together."""
    found: dict[str, str] = {}
    refused = []
    # One change may be a remedy of several causes; made once, it is made for all.
    once = {candidate.key: candidate for candidate in candidates}
    for candidate in once.values():
        for entry in candidate.entries:
            if entry.section != "rewrite":
                continue
            path = str(Path(entry.content["path"]).resolve())
            try:
                before = found.get(path) or Path(path).read_text(encoding="utf-8")
                found[path] = rewrite(before, entry)
            except (CannotEditError, OSError, UnicodeDecodeError) as error:
                refused.append(f"rewrite {path}: {error}")
    return found, refused


def written(changed: Mapping[str, str], folder: Path) -> dict[str, str]:
    """`changed` in files of `folder`: the path of each by the path that it stands for."""
    found = {}
    for path, text in changed.items():
        name = hashlib.sha256(f"{path}\n{text}".encode()).hexdigest()[:12]
        file = folder / f"source-{name}.py"
        file.write_text(text, encoding="utf-8")
        found[path] = str(file.absolute())
    return found


def fixable(path: Path, text: str) -> list[Finding]:
    """What `lint` finds in `text` and can change, also where the change needs proof."""
    return [one for one in _checked(path, text)[0] if one.fix]


def corrected(text: str, path: Path, code: str, function: str) -> str:
    """`text` after the fix of every finding of `code` in `function`.

    Raises:
        CannotEditError: there is no such finding, or its rule declines.
    """
    findings, group, edited = _checked(path, text)
    mine = [one for one in findings if one.code == code and one.function == function and one.fix]
    edits = [edit for one in mine for edit in group(one)]
    after = str(edited(edits)) if edits else text
    if after == text:
        raise CannotEditError(f"{code} has no change for {function}")
    return after


def _checked(
    path: Path, text: str
) -> tuple[list[Finding], Callable[[Finding], Any], Callable[[Any], str]]:
    from compilescope.lint import registry
    from compilescope.lint.check import check
    from compilescope.lint.fixing import Corrector
    from compilescope.lint.settings import Settings
    from compilescope.lint.source import Source

    names = registry.names()
    codes = frozenset(registry.default_codes(pedantic=False))
    settings = Settings(root=path.parent, codes=codes, known=frozenset(names))
    source = Source(path, text)
    checked = check({str(path): source}, settings, _analyse, registry.active_codes(settings))
    corrector = Corrector(registry.rules())
    return (
        list(checked.findings),
        lambda finding: corrector.group(finding, source, checked).edits,
        lambda edits: source.edited(edits).text,
    )


def _analyse(sources: Mapping[str, str], settings: Settings) -> Analysis:
    from compilescope.lint import analysis
    from compilescope.lint.check import merged

    return merged(analysis.analyse_groups([sources], settings))


class _Shortcut(cst.CSTTransformer):
    METADATA_DEPENDENCIES = (PositionProvider,)

    def __init__(self, line: int) -> None:
        super().__init__()
        self.line = line
        self.count = 0

    def leave_If(  # noqa: N802
        self, original_node: cst.If, updated_node: cst.If
    ) -> cst.If | cst.RemovalSentinel:
        where: Any = self.get_metadata(PositionProvider, original_node)
        body = original_node.body.body
        leaves = len(body) == 1 and (
            isinstance(body[0], (cst.Return, cst.Continue))
            or (
                isinstance(body[0], cst.SimpleStatementLine)
                and len(body[0].body) == 1
                and isinstance(body[0].body[0], (cst.Return, cst.Continue))
            )
        )
        test: Any = self.get_metadata(PositionProvider, original_node.test)
        inside = where.start.line <= self.line <= test.end.line
        if inside and leaves and original_node.orelse is None:
            self.count += 1
            return cst.RemoveFromParent()
        return updated_node


def without_shortcut(text: str, line: int) -> str:
    """`text` without the `if` at `line` that does nothing but leave early.

    Raises:
        CannotEditError: there is no such `if`.
    """
    edit = _Shortcut(line)
    changed = MetadataWrapper(cst.parse_module(text)).visit(edit).code
    if edit.count != 1:
        raise CannotEditError(f"line {line} is no early return")
    return changed


class _Always(cst.CSTTransformer):
    METADATA_DEPENDENCIES = (PositionProvider,)

    def __init__(self, line: int) -> None:
        super().__init__()
        self.line = line
        self.count = 0

    def leave_If(  # noqa: N802
        self, original_node: cst.If, updated_node: cst.If
    ) -> cst.If | cst.FlattenSentinel[cst.BaseStatement]:
        where: Any = self.get_metadata(PositionProvider, original_node)
        test: Any = self.get_metadata(PositionProvider, original_node.test)
        body = updated_node.body
        if (
            not where.start.line <= self.line <= test.end.line
            or original_node.orelse is not None
            or not isinstance(body, cst.IndentedBlock)
            or matchers.findall(body, _LEAVES)
        ):
            return updated_node
        self.count += 1
        first: Any = body.body[0]
        lines = [*updated_node.leading_lines, *first.leading_lines]
        return cst.FlattenSentinel([first.with_changes(leading_lines=lines), *body.body[1:]])


def without_condition(text: str, line: int) -> str:
    """`text` in which what the `if` at `line` guards is done always.

    Raises:
        CannotEditError: there is no such `if`, it has an `else`, or it leaves the function or loop.
    """
    edit = _Always(line)
    changed = MetadataWrapper(cst.parse_module(text)).visit(edit).code
    if edit.count != 1:
        raise CannotEditError(f"line {line} is no condition that can be left out")
    return changed


def as_change(entry: Entry) -> Callable[[str], str]:
    """The rewrite as a function of the text."""
    return partial(rewrite, entry=entry)
