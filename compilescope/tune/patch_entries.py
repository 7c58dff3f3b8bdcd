"""What each entry of an overlay is in source: the edit that does the same, or the words for it."""

from __future__ import annotations

import ast
import re
from functools import partial
from pathlib import Path
from typing import Any

from compilescope.tune import rewrites, source_edits
from compilescope.tune.call_edits import Place, at_call
from compilescope.tune.mode_edits import held_at
from compilescope.tune.patch_sources import Sources, relative
from compilescope.tune.remedy import Candidate, Entry
from compilescope.tune.source_edits import CannotEditError

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
    "contiguous": "{}.contiguous()",
    "clone": "{}.clone(memory_format=torch.contiguous_format)",
    "channels_last": "{}.contiguous(memory_format=torch.channels_last)",
    "detach": "{}.detach()",
    "resolve": "{}.resolve_conj().resolve_neg()",
    "dense": "{}.to_dense()",
    "plain_tensor": "{}.as_subclass(torch.Tensor)",
    "dtype": "{}.to(torch.{to})",
    "device": "{}.to({to!r})",
    "tensor": "torch.tensor({})",
    "float": "float({})",
    "int": "int({})",
    "str": "str({})",
    "list": "list({})",
    "tuple": "tuple({})",
    "dict": "dict({})",
}


def edit(sources: Sources, entry: Entry) -> None:
    """Make the edit of `sources` that does what `entry` does.

    Raises:
        CannotEditError: there is none that is safe.
    """
    content = entry.content
    match entry.section:
        case "config":
            lines = [line for pair in content.items() for line in setting(*pair, sources.torch)]
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
        case "rewrite":
            sources.edit(Path(content["path"]), rewrites.as_change(entry))
        case "attributes":
            _hold(sources, content)
        case "arguments":
            _argument(sources, content)
        case "modes":
            _held(sources, content)
        case _:
            raise CannotEditError("`compilescope forecast --emit` writes such calls")


def setting(name: str, value: object, torch: tuple[int, int]) -> list[str]:
    """A setting as lines of code."""
    prefix, _, key = name.partition(".")
    line = f"{SETTINGS[prefix]}.{key} = {value!r}"
    # `import torch` brings all of their modules along in later releases only.
    alone = prefix == "shapes" and torch < (2, 9)
    return [f"import {SETTINGS[prefix]}", line] if alone else [line]


def _compiling(sources: Sources) -> Path:
    """The one file of the program that calls torch.compile."""
    paths = [Path(one.frame.path) for one in sources.best.session.callables if one.frame]
    paths += [Path(one["path"]) for notes in sources.best.notes.places.values() for one in notes]
    paths += [sources.script] if sources.script else []
    texts = {
        path.resolve(): path.read_text(errors="replace")
        for path in paths
        if path.exists() and "site-packages" not in path.parts
    }
    # By its name first: other things have a `compile`, too.
    for pattern in (r"\btorch\.compile\b", r"\.compile\b"):
        found = [path for path, text in texts.items() if re.search(pattern, text)]
        if len(found) == 1:
            return found[0]
    raise CannotEditError(f"{len(found)} files of the program call torch.compile")


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
    notes = sources.best.notes.places.get(content["callable"])
    if not notes:
        raise CannotEditError("the line of the call is not known")
    if content.get("calls"):
        raise CannotEditError("it is meant for one call only")
    do = content["do"]
    if f"{do} {content['path']}" in sources.best.notes.absent:
        raise CannotEditError("not every call has it")
    called = as_called(content["path"])
    head = re.match(r"\w+", called)
    assert head is not None
    suffix = called[head.end() :]
    position = _position(sources, content["callable"], head.group())
    before, around = "", ""
    if do in MARKS:
        before = _marking(content)
    elif do not in AROUND or suffix:
        raise CannotEditError(f"`{content['path']}` is changed best where it is made")
    else:
        around = _around(content)
    for note in notes:
        path = Path(note["path"])
        place = Place(sources.moved(path, int(note["line"])), position, head.group(), suffix)
        sources.edit(path, partial(at_call, place=place, before=before, around=around))


def _held(sources: Sources, content: dict[str, Any]) -> None:
    mode, held = content["mode"], sources.best.notes.held
    notes = sources.best.notes.places.get(content["callable"])
    if not notes or mode not in held:
        raise CannotEditError("the line of the call is not known")
    for note in notes:
        path = Path(note["path"])
        line = sources.moved(path, int(note["line"]))
        sources.edit(path, partial(held_at, line=line, mode=mode, value=held[mode]))


def as_called(path: str) -> str:
    """The path from the argument as a call names it: `x` for `kwargs['x']`."""
    return re.sub(r"^\w*kwargs\['(\w+)'\]", r"\1", path)


def _around(content: dict[str, Any]) -> str:
    """What becomes of the expression `{}`."""
    to = content.get("to")
    return AROUND[content["do"]].replace("{to!r}", repr(to)).replace("{to}", str(to))


def _marking(content: dict[str, Any]) -> str:
    """The statement that marks `{}`."""
    return f"{MARKS[content['do']]}({{}}, {content['dimension']}{_bounds(content)})"


def _bounds(content: dict[str, Any]) -> str:
    return "".join(
        f", {key}={content[key]}" for key in ("min", "max") if content.get(key) is not None
    )


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


def by_hand(candidate: Candidate, sources: Sources, why: str) -> str:
    """What the user has to write where no edit was safe, where, and why."""
    lines = []
    where = ""
    for entry in candidate.entries:
        content = entry.content
        if entry.section == "config":
            lines += [line for pair in content.items() for line in setting(*pair, sources.torch)]
            where = "before the first compiled call"
        elif entry.section == "arguments":
            notes = sources.best.notes.places.get(content["callable"]) or ()
            at = [f"{relative(Path(note['path']))}:{note['line']}" for note in notes]
            where = f"before {', '.join(at) or 'the call'}"
            path = as_called(content["path"])
            if content["do"] in MARKS:
                lines.append(_marking(content).format(path))
            elif content["do"] in AROUND:
                lines.append(f"{path} = {_around(content).format(path)}")
    text = "; ".join(lines) or candidate.text
    return f"by hand{', ' + where if where else ''}: {text} ({why})"
