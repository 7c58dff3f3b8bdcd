"""What was compiled, in one file for the next process: torch's mega-cache with a manifest.

A bundle is a zip archive of `manifest.json` and `artifacts.bin`. The artifacts are what
`torch.compiler.save_cache_artifacts` returns: torch unpickles parts of them, so load only bundles
that you would run as code.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from compilescope.errors import InputError, ProgramError, UsageError, VersionError
from compilescope.mitigations import files, place

_FORMAT = 1
_HINT = "run the warm-up here once and save_cache again"


@dataclass(frozen=True)
class CacheContents:
    """What a bundle holds."""

    manifest: dict[str, str]
    artifacts: dict[str, int]  # how many of each kind: inductor, aot_autograd, autotune, ...
    size: int  # bytes


def save_cache(
    path: files.StrPath, model: Callable[..., Any], *, device: str | None = None
) -> CacheContents:
    """Write all that this process compiled, or loaded from a cache, to one file.

    The file is replaced whole or not at all. `path` may be an address where fsspec is installed.

    Args:
        path: Where to.
        model: What was compiled, whose source the manifest gets a digest of.
        device: `"cpu"` or `"cuda"`; the GPU where there is one by default.

    Raises:
        ProgramError: nothing was compiled that can be cached.
        InputError: the file cannot be written.
        UsageError: torch is older than 2.7, or fsspec is needed and missing.
    """
    _require("save_cache_artifacts")
    saved = torch.compiler.save_cache_artifacts()
    if saved is None:
        raise ProgramError(
            "there is no compile cache to save",
            cause="this process compiled nothing that inductor can cache",
            hint="call the compiled model first; backends other than inductor cache nothing",
        )
    content, info = saved
    manifest = {
        "format": str(_FORMAT),
        **place.environment(device),
        "code": place.code_digest(model),
        "artifacts": hashlib.sha256(content).hexdigest(),
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.json", json.dumps(manifest, indent=1))
        archive.writestr("artifacts.bin", content)
    files.write(path, packed.getvalue())
    return CacheContents(manifest, _counts(info), len(packed.getvalue()))


def load_cache(
    path: files.StrPath, model: Callable[..., Any], *, device: str | None = None
) -> CacheContents:
    """Hand what `save_cache` wrote to torch, before the first call of the compiled model.

    Each compile still traces the model, which takes a fraction of the time, and then finds the
    rest of its work done.

    Args:
        path: The bundle. Only load one that you would run as code.
        model: What will be compiled; its source must be that of the bundle.
        device: `"cpu"` or `"cuda"`; the GPU where there is one by default.

    Raises:
        InputError: the file cannot be read, or was made by other code or for another torch,
            Python, system or device; the cause names each difference.
        VersionError: another version of compilescope made it.
        UsageError: torch is older than 2.7, or fsspec is needed and missing.
    """
    _require("load_cache_artifacts")
    packed = files.read(path)
    manifest, content = _unpack(str(path), packed)
    expected = {**place.environment(device), "code": place.code_digest(model)}
    differences = [
        _difference(name, manifest.get(name, "?"), here)
        for name, here in expected.items()
        if manifest.get(name) != here
    ]
    if differences:
        raise InputError(
            f"{path} is a compile cache for something else",
            cause="; ".join(differences),
            hint=_HINT,
        )
    info = torch.compiler.load_cache_artifacts(content)
    if info is None:
        raise InputError(f"torch cannot read the compile cache in {path}", hint=_HINT)
    return CacheContents(manifest, _counts(info), len(packed))


def _difference(name: str, there: str, here: str) -> str:
    if name == "code":
        return "the source of the model has changed"
    return f"{name} was {there}, here it is {here}"


def _unpack(path: str, packed: bytes) -> tuple[dict[str, str], bytes]:
    try:
        with zipfile.ZipFile(io.BytesIO(packed)) as archive:
            manifest = json.loads(archive.read("manifest.json"))
            version = manifest.get("format")
            content = archive.read("artifacts.bin") if version == str(_FORMAT) else b""
    except (zipfile.BadZipFile, KeyError, ValueError, AttributeError, EOFError) as error:
        raise InputError(
            f"{path} is not a compile cache of compilescope", cause=str(error), hint=_HINT
        ) from error
    if version != str(_FORMAT):
        raise VersionError(f"{path} has format {version!r}, this reads {_FORMAT}", hint=_HINT)
    if hashlib.sha256(content).hexdigest() != manifest.get("artifacts"):
        raise InputError(f"{path} is damaged", cause="its checksum does not match", hint=_HINT)
    return manifest, content


def _counts(info: Any) -> dict[str, int]:
    return {kind: len(keys) for kind, keys in info.artifacts.items() if keys}


def _require(name: str) -> None:
    if not hasattr(torch.compiler, name):
        raise UsageError(
            "the compile cache needs torch 2.7", cause=f"this is torch {torch.__version__}"
        )
