"""From the command line and [tool.compilescope.check] to the limits of one `check`."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import msgspec

from compilescope import config
from compilescope.errors import UsageError
from compilescope.gate import Limits


class Keys(msgspec.Struct, frozen=True, rename="kebab"):
    """The keys of [tool.compilescope.check]."""

    max_recompiles: int | None = None
    max_breaks: int | None = None
    max_compile_seconds: float | None = None
    after_call: int = 0
    no_fallback: bool = False
    no_new_causes_against: str | None = None
    allow_incomplete: bool = False


class Settings(msgspec.Struct, frozen=True):
    """What is to be held against what."""

    limits: Limits
    baseline: Path | None
    allow_incomplete: bool
    config: Path | None = None


def settings(given: dict[str, Any]) -> Settings:
    """The limits that the command line and the configuration set, the former first.

    Raises:
        UsageError: no limit is set anywhere, or one that nothing could ever cross or keep.
        InputError: a configuration that cannot be used.
    """
    found = config.read(given["config"]) if given["config"] else config.find(Path.cwd())
    # The top table belongs to `lint`, whose keys mean nothing here.
    own = {"check": found.values["check"]} if "check" in found.values else {}
    keys = config.convert(config.Config(found.path, own), "check", Keys)
    names = [field.name for field in msgspec.structs.fields(Limits) if field.name in given]
    set_ = {name: _first(given[name], getattr(keys, name)) for name in names}
    baseline = given["baseline"]
    if baseline is None and keys.no_new_causes_against is not None:
        baseline = found.root / keys.no_new_causes_against
    for name, limit in set_.items():
        if limit is not None and not (math.isfinite(limit) and limit >= 0):
            raise UsageError(
                f"the limit {name.replace('_', '-')} is {limit}",
                hint="write a number from 0 up; without a limit leave it out",
            )
    limits = Limits(**set_)
    if not limits.names and baseline is None:
        raise UsageError(
            "no limit is set",
            cause=f"neither here nor in [tool.compilescope.check] of {found.path or 'any file'}",
            hint="compilescope check --max-recompiles 0 --max-breaks 0 --no-fallback ...",
        )
    if given["update_baseline"] and baseline is None:
        raise UsageError(
            "--update-baseline needs a baseline", hint="--no-new-causes-against FILE names it"
        )
    return Settings(
        limits, baseline, given["allow_incomplete"] or keys.allow_incomplete, found.path
    )


def _first(given: Any, configured: Any) -> Any:
    return configured if given is None else given
