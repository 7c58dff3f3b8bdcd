"""Changes of the source that no overlay can stand in for: a trial runs the changed text itself."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable
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


def unused(sources: Iterable[str], applied: Collection[str]) -> list[str]:
    """Those of the changed files `sources` that no process of a run took, with the reason."""
    named = (f"source {Path(path).resolve()}" for path in sources)
    why = "no process of the program loaded it as a script or module"
    return [f"{one}: {why}" for one in named if one not in applied]


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


class _IfAtLine(cst.CSTTransformer):
    """Edits the one `if` without an `else` whose condition is at a line."""

    METADATA_DEPENDENCIES = (PositionProvider,)

    def __init__(
        self,
        line: int,
        change: Callable[[cst.If], cst.RemovalSentinel | cst.FlattenSentinel[Any] | None],
    ) -> None:
        super().__init__()
        self.line = line
        self.change = change  # None where the `if` is not of the kind
        self.count = 0

    def leave_If(  # noqa: N802
        self, original_node: cst.If, updated_node: cst.If
    ) -> cst.If | cst.RemovalSentinel | cst.FlattenSentinel[Any]:
        where: Any = self.get_metadata(PositionProvider, original_node)
        test: Any = self.get_metadata(PositionProvider, original_node.test)
        if not where.start.line <= self.line <= test.end.line or updated_node.orelse is not None:
            return updated_node
        changed = self.change(updated_node)
        if changed is None:
            return updated_node
        self.count += 1
        return changed


def without_shortcut(text: str, line: int) -> str:
    """`text` without the `if` at `line` that does nothing but leave early.

    Raises:
        CannotEditError: there is no such `if`.
    """
    return _edited(text, line, _dropped, "is no early return")


def without_condition(text: str, line: int) -> str:
    """`text` in which what the `if` at `line` guards is done always.

    Raises:
        CannotEditError: there is no such `if`, it has an `else`, or it leaves the function or loop.
    """
    return _edited(text, line, _unwrapped, "is no condition that can be left out")


def _edited(text: str, line: int, change: Callable[[cst.If], Any], otherwise: str) -> str:
    edit = _IfAtLine(line, change)
    changed = MetadataWrapper(cst.parse_module(text)).visit(edit).code
    if edit.count != 1:
        raise CannotEditError(f"line {line} {otherwise}")
    return changed


def _dropped(node: cst.If) -> cst.RemovalSentinel | None:
    body = node.body.body
    only = body[0] if len(body) == 1 else None
    if isinstance(only, cst.SimpleStatementLine) and len(only.body) == 1:
        only = only.body[0]
    return cst.RemoveFromParent() if isinstance(only, (cst.Return, cst.Continue)) else None


def _unwrapped(node: cst.If) -> cst.FlattenSentinel[Any] | None:
    if not isinstance(node.body, cst.IndentedBlock) or matchers.findall(node.body, _LEAVES):
        return None
    first: Any = node.body.body[0]
    lines = [*node.leading_lines, *first.leading_lines]
    return cst.FlattenSentinel([first.with_changes(leading_lines=lines), *node.body.body[1:]])


def as_change(entry: Entry) -> Callable[[str], str]:
    """The rewrite as a function of the text."""
    return partial(rewrite, entry=entry)
