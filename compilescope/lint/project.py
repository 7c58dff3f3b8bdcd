"""The linted files and those that they import, parsed when first needed."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from functools import cached_property

from compilescope.lint.index import Module, read_module

INSTALLED = frozenset({"torch", "numpy"})


class Project:
    """The linted files, and those of their packages that they import."""

    def __init__(self, sources: Mapping[str, str], *, follow: bool = True) -> None:
        """Take the texts by path; with `follow` imports are also read from the disk."""
        self.sources = dict(sources)
        self.follow = follow
        self.errors: dict[str, SyntaxError] = {}
        self.read: set[str] = set()  # files that were read because something imports them
        self.named: set[str] = set()  # of the names that are said to be compiled: those found
        self._modules: dict[str, Module | None] = {}
        self._roots: dict[str, str] = {}
        self._by_name: dict[str, list[str]] = {}
        for path in self.sources:
            self._by_name.setdefault(_last_name(path), []).append(path)
        self._found: dict[tuple[str, str], str | None] = {}

    @cached_property
    def _search(self) -> list[str]:
        """Where the linted packages stand."""
        roots = {self._root(path) for path in self.sources if self._package_file(path)}
        return sorted(roots)[:8]

    def _package_file(self, path: str) -> bool:
        return self._root(path) != os.path.dirname(path)

    def module(self, path: str) -> Module | None:
        """The parsed file, or None where it is missing or no Python."""
        if path not in self._modules:
            self._modules[path] = self._parse(path)
        return self._modules[path]

    def resolve(self, origin: Module, level: int, name: str) -> str | None:
        """The path of the module that an import in `origin` names."""
        if level:
            package = origin.package[: len(origin.package) - level + 1]
            name = ".".join((*package, name) if name else package)
        key = (self._root(origin.path), name)
        if key not in self._found:
            self._found[key] = self._find(*key)
        return self._found[key]

    def _parse(self, path: str) -> Module | None:
        text = self.sources.get(path)
        if text is None:
            try:
                with open(path, encoding="utf-8", errors="replace") as file:
                    text = file.read()
            except OSError:
                return None
            self.read.add(path)
        try:
            return read_module(path, text, self._package(path))
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            if isinstance(error, SyntaxError):
                self.errors[path] = error
            return None

    def _package(self, path: str) -> tuple[str, ...]:
        root = self._root(path)
        inside = os.path.relpath(os.path.dirname(path) or ".", root or ".").replace(os.sep, "/")
        return () if inside == "." else tuple(inside.split("/"))

    def _root(self, path: str) -> str:
        """The folder that holds the outermost package of the file."""
        folder = os.path.dirname(path)
        if folder not in self._roots:
            top = folder
            while top and self._exists(os.path.join(top, "__init__.py")):
                above = os.path.dirname(top)
                if above == top:
                    break
                top = above
            self._roots[folder] = top
        return self._roots[folder]

    def _exists(self, path: str) -> bool:
        return path in self.sources or (self.follow and os.path.isfile(path))

    def _find(self, root: str, name: str) -> str | None:
        parts = tuple(name.split("."))
        if name in INSTALLED:  # a loose torch.py is a backend of that name, not the library
            return self._installed(root, name)
        for folder in dict.fromkeys((root, *self._search)):
            base = os.path.join(folder, *parts) if folder else os.path.join(*parts)
            for path in (f"{base}.py", os.path.join(base, "__init__.py")):
                if self._exists(path):
                    return path
        if parts[0] in sys.stdlib_module_names:  # shadowed only from beside the importing file
            return None
        for path in self._by_name.get(parts[-1], []):
            folder, file = os.path.split(path)
            own = () if file == "__init__.py" else (file.removesuffix(".py"),)
            if (*self._package(path), *own) == parts:
                return path
        return None

    def _installed(self, root: str, name: str) -> str | None:
        path = os.path.join(root, name, "__init__.py")
        return path if self._exists(path) else None


def _last_name(path: str) -> str:
    folder, file = os.path.split(path)
    return os.path.basename(folder) if file == "__init__.py" else file.removesuffix(".py")
