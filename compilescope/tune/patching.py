"""From the best trial to a change of the user's source, proved by a run of the changed source."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import libcst as cst

from compilescope import store
from compilescope.tune import source_edits
from compilescope.tune.remedy import Candidate, Entry
from compilescope.tune.source_edits import CannotEditError, Place
from compilescope.tune.trials import Bench, Ran
from compilescope.tuning import Patch

SETTINGS = {
    "dynamo": "torch._dynamo.config",
    "inductor": "torch._inductor.config",
    "compiler": "torch.compiler.config",
    "shapes": "torch.fx.experimental._config",
    "functorch": "torch._functorch.config",
}
MARKS = {
    "mark_dynamic": "torch._dynamo.mark_dynamic",
    "maybe_mark_dynamic": "torch._dynamo.maybe_mark_dynamic",
    "mark_unbacked": "torch._dynamo.decorators.mark_unbacked",
    "mark_static": "torch._dynamo.mark_static",
}
AROUND = {
    "contiguous": ".contiguous()",
    "clone": ".clone(memory_format=torch.contiguous_format)",
    "channels_last": ".contiguous(memory_format=torch.channels_last)",
    "detach": ".detach()",
    "resolve": ".resolve_conj().resolve_neg()",
    "dense": ".to_dense()",
    "plain_tensor": ".as_subclass(torch.Tensor)",
}


class Sources:
    """The user's files as they become."""

    def __init__(self, best: Ran, script: Path | None) -> None:
        self.best = best
        self.script = script
        self.before: dict[Path, str] = {}
        self.after: dict[Path, str] = {}

    def edit(self, path: Path, change: Callable[[str], str]) -> None:
        """Apply `change` to what `path` has become so far."""
        path = path.resolve()
        if "site-packages" in path.parts or path.suffix != ".py":
            raise CannotEditError(f"{path} is not a source of this program")
        try:
            text = self.after.get(path) or path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise CannotEditError(f"{path} cannot be read") from error
        self.before.setdefault(path, text)
        self.after[path] = change(text)

    def home(self) -> Path:
        """The file for settings: the script, else the file of the first call."""
        if self.script is not None:
            return self.script
        for note in self.best.notes.places.values():
            return Path(note["path"])
        raise CannotEditError("the program's file is not known")

    def diff(self) -> str:
        """The change as a unified diff."""
        parts: list[str] = []
        for path, text in self.after.items():
            name = _relative(path)
            parts += difflib.unified_diff(
                self.before[path].splitlines(keepends=True),
                text.splitlines(keepends=True),
                f"a/{name}",
                f"b/{name}",
            )
        return "".join(parts)


def patch(bench: Bench, best: Ran, *, apply: bool) -> Patch:
    """The change that does what `best` did, run once; written where `apply` asks and it holds."""
    sources = Sources(best, _script(bench.command))
    paste = []
    for candidate in best.candidates:
        # All entries of a remedy or none: half a remedy is another one.
        kept = dict(sources.after)
        try:
            for entry in candidate.entries:
                _edit(sources, entry)
        except (CannotEditError, cst.ParserSyntaxError) as error:
            sources.after = kept
            paste.append(_paste(candidate, sources, str(error)))
    if not sources.after:
        return Patch(paste=tuple(paste), why="Nothing could be edited safely.")
    return _verified(bench, best, sources, tuple(dict.fromkeys(paste)), apply=apply)


def _verified(
    bench: Bench, best: Ran, sources: Sources, paste: tuple[str, ...], *, apply: bool
) -> Patch:
    texts = {}
    for number, (path, text) in enumerate(sources.after.items()):
        ast.parse(text)
        changed = bench.folder / f"source-{number}.py"
        changed.write_text(text, encoding="utf-8")
        texts[str(path)] = str(changed.absolute())
    ran = bench.beside((), "the changed source", texts)
    before, after = best.trial.measures.recompiles, ran.trial.measures.recompiles
    holds = ran.trial.outcome in ("solved", "better") and (after <= before or bool(paste))
    why = f"Verified: a run of the changed source has {after} recompiles"
    if ran.trial.outputs == "agree":
        why += " and the same outputs"
    if not holds:
        reason = ran.trial.why or f"{after} recompiles"
        why = f"Not verified: a run of the changed source: {ran.trial.outcome}, {reason}."
    written = apply and holds
    if written:
        for path in sources.after:
            if path.read_text(encoding="utf-8") != sources.before[path]:
                written, why = False, f"Not written: {path} was changed meanwhile."
                break
        else:
            for path, text in sources.after.items():
                store.write(text.encode(), path)
    return Patch(sources.diff(), paste, holds, why, ran.trial.measures, written)


def _edit(sources: Sources, entry: Entry) -> None:
    content = entry.content
    match entry.section:
        case "config":
            lines = [setting(name, value) for name, value in content.items()]
            sources.edit(sources.home(), lambda text: source_edits.with_settings(text, lines))
        case "compile":
            keywords = content["keywords"]
            path = _compiling(sources)
            sources.edit(path, lambda text: source_edits.with_compile_keywords(text, keywords))
        case "stance":
            line = f"torch.compiler.set_stance({content['value']['name']!r})"
            sources.edit(sources.home(), lambda text: source_edits.with_settings(text, [line]))
        case "functions":
            name = content["name"]
            sources.edit(Path(content["path"]), lambda text: source_edits.with_disabled(text, name))
        case "attributes":
            _hold(sources, content)
        case "arguments":
            _argument(sources, content)
        case _:
            raise CannotEditError("it needs calls before the first one")


def setting(name: str, value: object) -> str:
    """A setting as a line of code."""
    prefix, _, key = name.partition(".")
    return f"{SETTINGS[prefix]}.{key} = {value!r}"


def _compiling(sources: Sources) -> Path:
    """The one file of the program that calls torch.compile."""
    paths = [Path(one.frame.path) for one in sources.best.session.callables if one.frame]
    paths += [Path(note["path"]) for note in sources.best.notes.places.values()]
    paths += [sources.script] if sources.script else []
    found = {
        path.resolve()
        for path in paths
        if path.exists() and re.search(r"\.compile\b", path.read_text(errors="replace"))
        and "site-packages" not in path.parts
    }  # fmt: skip
    if len(found) != 1:
        raise CannotEditError(f"{len(found)} files of the program call torch.compile")
    return found.pop()


def _hold(sources: Sources, content: dict[str, Any]) -> None:
    path = content["path"]
    if content.get("module"):
        sources.edit(Path(content["module"]), lambda text: source_edits.with_held(text, path))
        return
    name = re.search(r"\.(\w+)$", path)
    if name is None:
        raise CannotEditError(f"`{path}` is no attribute")
    frames = [one.frame for one in sources.best.session.callables if one.frame]
    files = list(dict.fromkeys(Path(frame.path) for frame in frames))
    if len(files) != 1:
        raise CannotEditError("the class is not certain")
    target = f"self.{name[1]}"
    sources.edit(files[0], lambda text: source_edits.with_held(text, target))


def _argument(sources: Sources, content: dict[str, Any]) -> None:
    note = sources.best.notes.places.get(content["callable"])
    if note is None:
        raise CannotEditError("the line of the call is not known")
    do = content["do"]
    head = re.match(r"\w+", content["path"])
    assert head is not None
    suffix = content["path"][head.end() :]
    position = _position(sources, content["callable"], head.group())
    place = Place(_moved(sources, note), position, head.group(), suffix)
    path = Path(note["path"])
    if do in MARKS:
        bounds = "".join(
            f", {key}={content[key]}" for key in ("min", "max") if content.get(key) is not None
        )
        line = f"{MARKS[do]}({{}}, {content['dimension']}{bounds})"
        sources.edit(path, lambda text: source_edits.at_call(text, place, before=line))
        return
    around = AROUND.get(do)
    if do == "dtype":
        around = f".to(torch.{content['to']})"
    elif do == "device":
        around = f".to({content['to']!r})"
    if around is None or suffix:
        raise CannotEditError(f"`{content['path']}` is changed best where it is made")
    sources.edit(path, lambda text: source_edits.at_call(text, place, around=around))


def _moved(sources: Sources, note: dict[str, Any]) -> int:
    """The line of the call, where earlier edits of this file have moved it to."""
    path = Path(note["path"]).resolve()
    line = int(note["line"])
    if path not in sources.after:
        return line
    matcher = difflib.SequenceMatcher(
        None, sources.before[path].splitlines(), sources.after[path].splitlines(), autojunk=False
    )
    for block in matcher.get_matching_blocks():
        if block.a <= line - 1 < block.a + block.size:
            return block.b + line - block.a
    raise CannotEditError("the call was changed by another edit")


def _position(sources: Sources, name: str, argument: str) -> int | None:
    frame = next(
        (one.frame for one in sources.best.session.callables if one.name == name and one.frame),
        None,
    )
    if frame is None:
        return None
    try:
        tree = ast.parse(Path(frame.path).read_text(encoding="utf-8"))
    except (OSError, SyntaxError, UnicodeDecodeError):
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == frame.function:
            first = node.decorator_list[0].lineno if node.decorator_list else node.lineno
            if frame.line in (first, node.lineno):
                names = [one.arg for one in (*node.args.posonlyargs, *node.args.args)]
                names = names[1:] if names[:1] == ["self"] else names
                return names.index(argument) if argument in names else None
    return None


def _paste(candidate: Candidate, sources: Sources, why: str) -> str:
    lines = []
    where = ""
    for entry in candidate.entries:
        content = entry.content
        if entry.section == "config":
            lines += [setting(name, value) for name, value in content.items()]
            where = "before the first compiled call"
        elif entry.section == "arguments":
            note = sources.best.notes.places.get(content["callable"])
            where = (
                f"before {_relative(Path(note['path']))}:{note['line']}"
                if note
                else "before the call"
            )
            if content["do"] in MARKS:
                lines.append(f"{MARKS[content['do']]}({content['path']}, {content['dimension']})")
            elif content["do"] in AROUND:
                lines.append(f"{content['path']} = {content['path']}{AROUND[content['do']]}")
    text = "; ".join(lines) or candidate.text
    return f"by hand{', ' + where if where else ''}: {text} ({why})"


def _script(command: tuple[str, ...]) -> Path | None:
    path = Path(command[1]) if len(command) > 1 else None
    return path.resolve() if path is not None and path.suffix == ".py" and path.exists() else None


def _relative(path: Path) -> str:
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(path).lstrip("/")
