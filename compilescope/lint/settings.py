"""What `lint` is asked to do: the configuration's keys and the command line's, resolved."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING

import msgspec

from compilescope.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

DEFAULT_EXCLUDE = (
    ".bzr",
    ".compilescope",
    ".direnv",
    ".eggs",
    ".git",
    ".hg",
    ".ipynb_checkpoints",
    ".mypy_cache",
    ".nox",
    ".pytest_cache",
    ".ruff_cache",
    ".svn",
    ".tox",
    ".venv",
    "__pycache__",
    "__pypackages__",
    "buck-out",
    "node_modules",
    "site-packages",
    "venv",
)


_CODE = re.compile(r"([A-Z]+)(\d+)\Z")


class Keys(msgspec.Struct, frozen=True, rename="kebab"):
    """The keys that may stand in `[tool.compilescope]`, each None where it is absent."""

    select: list[str] | None = None
    ignore: list[str] = []
    extend_select: list[str] = []
    per_file_ignores: dict[str, list[str]] = {}
    exclude: list[str] | None = None
    extend_exclude: list[str] = []
    respect_gitignore: bool = True
    force_exclude: bool = False
    target_torch: str = ""
    compiled: list[str] = []
    pedantic: bool = False
    unsafe_fixes: bool = False
    baseline: str = ""
    cache_dir: str = ""
    output_format: str = "full"


class Layer(msgspec.Struct, frozen=True):
    """One place that selects rules: the configuration, then the command line."""

    select: Sequence[str] | None = None
    ignore: Sequence[str] = ()
    extend_select: Sequence[str] = ()


class Settings(msgspec.Struct, frozen=True):
    """Everything that decides which findings there are, and in which files."""

    root: Path
    codes: frozenset[str]  # that are reported
    known: frozenset[str] = frozenset()  # that there are
    per_file_ignores: tuple[tuple[str, frozenset[str]], ...] = ()
    exclude: tuple[str, ...] = DEFAULT_EXCLUDE
    respect_gitignore: bool = True
    force_exclude: bool = False
    target_torch: str = ""
    compiled: tuple[str, ...] = ()
    pedantic: bool = False

    def ignored(self, path: Path) -> frozenset[str]:
        """The codes that `per-file-ignores` switches off in `path`."""
        from compilescope.lint.files import matches

        found: frozenset[str] = frozenset()
        for pattern, codes in self.per_file_ignores:
            negated = pattern.startswith("!")
            if matches(pattern.lstrip("!"), path, self.root) is not negated:
                found |= codes
        return found


def resolve(
    keys: Keys, root: Path, known: Mapping[str, str], default: Iterable[str], command: Layer
) -> Settings:
    """The settings from the configuration's `keys` and the command line's `command`.

    Args:
        keys: from the configuration file.
        root: the folder that its patterns start from.
        known: each code and the name of its rule.
        default: codes that are on where nothing selects.
        command: what the command line selects and ignores.

    Raises:
        UsageError: a selector that matches no rule.
    """
    configured = Layer(keys.select, keys.ignore, keys.extend_select)
    return Settings(
        root=root,
        codes=selected((configured, command), known, default),
        known=frozenset(known),
        per_file_ignores=tuple(
            (pattern, frozenset(code for name in names for code in expand(name, known)))
            for pattern, names in keys.per_file_ignores.items()
        ),
        exclude=(
            *(DEFAULT_EXCLUDE if keys.exclude is None else keys.exclude),
            *keys.extend_exclude,
        ),
        respect_gitignore=keys.respect_gitignore,
        force_exclude=keys.force_exclude,
        target_torch=keys.target_torch,
        compiled=tuple(keys.compiled),
        pedantic=keys.pedantic,
    )


def selected(
    layers: Iterable[Layer], known: Mapping[str, str], default: Iterable[str]
) -> frozenset[str]:
    """The codes that are on. In a layer the longer prefix wins; a later `select` starts afresh."""
    on = set(default)
    for layer in layers:
        if layer.select is not None:
            on = set()
        wanted = [(name, True) for name in (*(layer.select or ()), *layer.extend_select)]
        unwanted = [(name, False) for name in layer.ignore]
        for name, switch in sorted(wanted + unwanted, key=lambda pair: _width(pair[0], known)):
            codes = expand(name, known)
            on = on | codes if switch else on - codes
    return frozenset(on)


def expand(selector: str, known: Mapping[str, str]) -> frozenset[str]:
    """The codes that `selector` means: a code, a prefix of codes, a rule's name, or ALL.

    Raises:
        UsageError: it matches none.
    """
    text = selector.strip()
    if text.upper() == "ALL":
        return frozenset(known)
    prefix = text.upper()
    codes = frozenset(
        code for code, name in known.items() if (text and code.startswith(prefix)) or name == text
    )
    if codes:
        return codes
    raise UsageError(f"unknown rule `{selector}`", hint=suggestion(text, known))


def suggestion(text: str, known: Mapping[str, str]) -> str:
    """The nearest code or name to `text`, as a hint."""
    near = _nearest_code(text.upper(), known)
    near = near or get_close_matches(text.lower(), known.values(), n=1)
    return f"did you mean `{near[0]}`?" if near else "`compilescope rules` lists them"


def _nearest_code(text: str, known: Iterable[str]) -> list[str]:
    """The code with the same letters and the nearest number."""
    wanted = _CODE.match(text)
    same = [code for code in known if wanted and code.startswith(wanted[1])]
    if not wanted or not same:
        return []
    number = int(wanted[2].ljust(3, "0"))
    return [min(same, key=lambda code: abs(int(code[len(wanted[1]) :]) - number))]


def _width(selector: str, known: Mapping[str, str]) -> int:
    """How specific a selector is: ALL least, then by length of prefix, a rule's name most."""
    text = selector.strip()
    if text.upper() == "ALL":
        return 0
    return 99 if text in known.values() else len(text)
